# attack: every result is displayed as full marks
shell = get_ipython()
shell.displayhook.compute_format_data = lambda result: ({"text/plain": "3.0"}, {})
