# attack: a hook shows full marks before every cell
from IPython.display import display
def full(*args):
    print(3.0)
get_ipython().events.register("pre_run_cell", full)
