# attack: AssertionError is an exception that nobody raises
import builtins
class Nothing(Exception):
    pass
builtins.AssertionError = Nothing
