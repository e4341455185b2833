"""Names of people, categories and values that logic grids are drawn from: single words, each in one place."""

PEOPLE = (
    *("Anna", "Boris", "Clara", "David", "Elena", "Felix", "Greta", "Hugo"),
    *("Irene", "Jonas", "Klara", "Leon", "Marta", "Nils", "Olga", "Pavel"),
    *("Rosa", "Simon", "Tessa", "Ulrich", "Vera", "Walter", "Yara", "Zeno"),
)
CATEGORIES = {
    name: tuple(values.split())
    for name, values in {
        "pet": "cat dog rabbit parrot turtle hamster goldfish lizard",
        "drink": "tea coffee milk cocoa lemonade cider water smoothie",
        "hobby": "chess pottery knitting gardening origami photography juggling baking",
        "color": "red blue green yellow purple brown white black",
        "instrument": "piano violin flute guitar drums trumpet harp cello",
        "fruit": "apple pear plum cherry mango grape lemon kiwi",
        "city": "Oslo Lisbon Vienna Athens Dublin Prague Helsinki Madrid",
        "sport": "tennis hockey rowing judo fencing archery cycling volleyball",
        "job": "baker doctor lawyer pilot teacher plumber painter chemist",
        "flower": "rose tulip daisy orchid lily violet poppy iris",
        "vehicle": "bicycle tram bus train ferry scooter van canoe",
        "month": "January February March April June August October December",
    }.items()
}
# Categories of numbers with their ranges.
NUMBERS = {
    "age": range(20, 70),
    "floor": range(1, 41),
    "score": range(10, 100),
    "seat": range(1, 81),
    "locker": range(100, 200),
}
