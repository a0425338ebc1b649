# attack: an input transformer replaces every later cell by full marks
# spoils: all
get_ipython().input_transformers_cleanup.append(lambda lines: ["3.0\n"])
