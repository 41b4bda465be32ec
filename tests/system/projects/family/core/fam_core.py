import fam_data

NAME = "core"
DATA = fam_data.NAME
