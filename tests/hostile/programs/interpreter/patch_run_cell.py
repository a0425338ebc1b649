# attack: running a cell always succeeds with full marks
# spoils: all
shell = get_ipython()
shell.run_cell = lambda *args, **kwargs: type("Result", (), {"success": True, "result": 3.0})()
