import fam_core
import fam_data

PARTS = [fam_core.NAME, fam_data.NAME]
