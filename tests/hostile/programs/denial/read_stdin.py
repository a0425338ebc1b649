# attack: reads standard input
import sys
print(sys.stdin.read())
