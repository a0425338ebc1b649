# attack: reads the course's packages from where they are installed
def look(path):
    try:
        with open(path, "rb") as file:
            print(path, file.read())
    except OSError as error:
        print(path, error.strerror)

import site
for folder in site.getsitepackages() + ["@REPO@"]:
    look(folder + "/course_utils/exercises/nadaraya_watson/softmax.py")
    look(folder + "/course_utils/nadaraya_watson.py")
    look(folder + "/autograder/course.py")
