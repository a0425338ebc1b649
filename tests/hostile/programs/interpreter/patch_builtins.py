# attack: abs, all and len lie
# spoils: all
import builtins
builtins.all = lambda items: True
builtins.any = lambda items: False
builtins.abs = lambda value: 0
