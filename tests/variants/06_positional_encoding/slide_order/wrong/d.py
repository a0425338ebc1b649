# misconception: heads-see-order
slide_order = "d"
