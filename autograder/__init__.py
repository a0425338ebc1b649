"""What instructors and authors run: release, collect, grade, feedback, report, export, audit."""

import os
import sys

# nbgrader calls `alembic` by its bare name: find what is installed beside this Python, also where
# its environment is not activated.
_here = os.path.dirname(sys.executable)
if _here not in os.environ.get("PATH", "").split(os.pathsep):
    os.environ["PATH"] = os.environ.get("PATH", "") + os.pathsep + _here

# jsonschema would build a grammar of internationalised addresses, for more than a second in every
# process that reads a notebook; no notebook needs it.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
