"""A gradebook's content without its random keys, so that two gradebooks can be compared, in
whatever database they are.
"""

from typing import Any

from sqlalchemy import create_engine, select

from autograder.course import Course
from autograder.gradebook import address, api

KEYS = {  # table -> the columns that say what a row is about
    "assignment": ("name",),
    "notebook": ("assignment_id", "name"),
    "base_cell": ("notebook_id", "name", "type"),
    "source_cell": ("notebook_id", "name"),
    "submitted_assignment": ("assignment_id", "student_id"),
    "submitted_notebook": ("assignment_id", "notebook_id"),
    "grade": ("notebook_id", "cell_id"),
    "comment": ("notebook_id", "cell_id"),
}


def content(course: Course) -> dict[str, list[dict[str, Any]]]:
    """All rows of all tables, in order, each key replaced by what it stands for."""
    engine = create_engine(address(course))
    with engine.connect() as connection:
        tables = {
            name: [dict(row) for row in connection.execute(select(table)).mappings()]
            for name, table in api.Base.metadata.tables.items()
        }
    engine.dispose()
    names: dict[str, str] = {}
    for table, columns in KEYS.items():
        for row in tables[table]:
            names[row["id"]] = " / ".join(
                str(names.get(row[column], row[column])) for column in columns
            )
        assert len({names[row["id"]] for row in tables[table]}) == len(tables[table]), (
            f"{table} holds something twice"
        )
    known = {
        table: [
            {
                key: names.get(value, value) if isinstance(value, str) else value
                for key, value in row.items()
            }
            for row in rows
        ]
        for table, rows in tables.items()
    }
    known.pop("course")  # nbgrader makes one by whatever name it is called with
    for row in known["assignment"]:
        row.pop("course_id")
    return {table: sorted(rows, key=lambda row: str(row)) for table, rows in known.items()}


def of(unit: str, all_: dict[str, list[dict[str, Any]]]) -> dict[str, list[dict[str, Any]]]:
    """The rows about the submissions of one unit."""
    return {
        table: [row for row in all_[table] if str(row["id"]).startswith(f"{unit} / ")]
        for table in ("submitted_assignment", "submitted_notebook", "grade", "comment")
    }
