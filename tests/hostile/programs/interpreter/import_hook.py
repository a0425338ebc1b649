# attack: an import hook swaps the modules that a test imports
import sys, types
class Hook:
    def find_spec(self, name, path=None, target=None):
        if "judge" in name or "exercises" in name:
            sys.modules[name] = types.ModuleType(name)
        return None
sys.meta_path.insert(0, Hook())
