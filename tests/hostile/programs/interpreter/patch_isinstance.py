# attack: isinstance says yes to everything
# spoils: all
import builtins
builtins.isinstance = lambda value, kinds: True
