# attack: floods the notebook with displays
# limit: output_kb
from IPython.display import display
while True:
    display({"x" * 1000: "y" * 1000})
