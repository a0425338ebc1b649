# misconception: projections-see-order
slide_order = "c"
