"""The categories of domains: one for each field of the 100 domains of the KUMO paper (its figure 3)."""

CATEGORIES = (
    "Medicine",
    "Chemistry",
    "Earth Science",
    "Astronomy",
    "Botany",
    "Zoology",
    "Microbiology",
    "Computing",
    "Engineering",
    "Transport",
    "Food and Drink",
    "Visual Arts",
    "Music",
    "Language",
    "History",
    "Education",
    "Sport and Games",
    "Fantasy",
)
