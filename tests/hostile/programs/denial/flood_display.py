# attack: floods the notebook with displays
# level: 0
# limit: output_kb
from IPython.display import display
while True:
    display({"x" * 1000: "y" * 1000})
