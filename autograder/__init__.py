"""What instructors and authors run: release, collect, grade, feedback, report, export, audit."""
