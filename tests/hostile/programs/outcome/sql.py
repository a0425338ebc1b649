# attack: writes full marks into the gradebook
import sqlite3
try:
    connection = sqlite3.connect("@COURSE@/gradebook.db")
    connection.execute("UPDATE grade SET auto_score = 100, manual_score = 100")
    connection.commit()
    print("WROTE")
except sqlite3.Error as error:
    print("REFUSED", error)
