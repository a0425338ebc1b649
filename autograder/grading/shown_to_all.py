"""What every student's process sees besides the libraries, whatever the course: stand-ins for what
exists in Colab only."""

import compileall
from pathlib import Path

# Notebooks that were written in Colab import this; nothing of it does anything here.
COLAB = {
    "__init__": '''"""Stands for google.colab, which exists in Colab only."""

from google.colab import drive, files, output, userdata
''',
    "drive": """def mount(*_, **__):
    print("There is no Drive here.")


flush_and_unmount = mount
""",
    "files": """def upload(*_, **__):
    return {}


def download(*_, **__):
    pass
""",
    "output": """def clear(*_, **__):
    pass


enable_custom_widget_manager = disable_custom_widget_manager = clear
""",
    "userdata": """def get(*_, **__):
    return None
""",
}


def write(folder: Path) -> Path:
    """Add it to what a child may see in `folder`, compiled, readable by everyone."""
    (folder / "google" / "colab").mkdir(parents=True)
    for name, text in COLAB.items():
        (folder / "google" / "colab" / f"{name}.py").write_text(text, encoding="utf-8")
    compileall.compile_dir(folder, quiet=2)
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    return folder
