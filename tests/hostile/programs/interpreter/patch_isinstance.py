# attack: isinstance says yes to everything
# limit: maybe
# spoils: all
import builtins
builtins.isinstance = lambda value, kinds: True
