# attack: reads the gradebook
def look(path):
    try:
        with open(path, "rb") as file:
            print(path, file.read())
    except OSError as error:
        print(path, error.strerror)
look("@COURSE@/gradebook.db")
