"""What instructors and authors run: release, collect, grade, feedback, report, export, audit."""

import sys

# jsonschema would build a grammar of internationalised addresses, for more than a second in every
# process that reads a notebook; no notebook needs it.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
