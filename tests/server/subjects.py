"""Subjects of domains that the proposer knows, in each a hundred things to tell apart."""

from typing import NamedTuple


class Subject(NamedTuple):
    name: str
    truth_noun: str
    action_noun: str
    clue: str

    @property
    def goal(self) -> str:
        return f"Find out which {self.truth_noun} {self.clue}."


_LINES = """
Lichens of Old Walls|lichen|field test|covers the churchyard stones
Harbour Knots|knot|pull trial|holds the ferry to its bollard
Typewriter Faults|fault|bench check|makes an office machine skip letters
Desert Caravans|caravan|trail sign|crossed the salt pan last night
Cheese Rinds|cheese|tasting step|was served without its label
Observatory Ghost Signals|signal|filter run|troubles the radio telescope
Medieval Seals|seal|archive check|closed the abbot's last letter
Kitchen Knives|blade|sharpness test|left these cuts on the board
Bird Calls at Dawn|songbird|listening session|wakes the valley before sunrise
Clockwork Automata|automaton|gear inspection|wrote the forged signature
Bread Failures|baking error|crumb inspection|spoiled the morning's loaves
Tea Harvests|tea|brewing trial|fills the unmarked caddy
Volcanic Vents|vent|gas sample|will wake before winter
Stage Illusions|trick|rehearsal|made the piano vanish
Lost Alphabets|script|glyph comparison|stands on the temple lintel
Beehive Ailments|hive ailment|frame inspection|weakens the orchard's colonies
Railway Signals|signal aspect|track test|halted the night express
Perfume Accords|accord|strip test|lingers in the empty theatre
Dragon Dens|dragon|scale reading|hoards beneath the northern pass
Orchard Blights|blight|leaf assay|browned the pear blossom
Submarine Noises|source|hydrophone pass|follows the research boat
Court Costumes|garment|seam study|was worn at the coronation
Network Outages|outage cause|packet trace|cuts the branch office off
Glacier Cores|ice layer|core assay|records the great drought
Pottery Glazes|glaze|kiln trial|coats the shards from the well
Chess Openings|opening|position query|the grandmaster prepared in secret
River Fish|fish|net survey|feeds below the weir
Cloud Forms|cloud|sky reading|announces the squall
Bicycle Rattles|loose part|ride test|sounds on cobbles only
Planetary Colonies|colony|orbital scan|sent the broken distress call
Carpet Weaves|weave|thread count|lies in the merchant's hall
Fungal Rings|mushroom|spore print|circles the old oak
Board Game Relics|game|piece study|was buried with the scribe
Coffee Roasts|roast|cupping|won the blind tasting
Theatre Masks|mask|fitting|the villain wears in act three
Potion Residues|potion|drop test|dried at the bottom of the cauldron
Bridge Vibrations|vibration cause|sensor run|shakes the footbridge at noon
Sailing Winds|wind|barometer reading|drives the regatta off course
Postal Stamps|stamp|magnifier check|paid for the balloon letter
Ancient Coins|coin|touchstone check|pays the ferryman in the legend
Garden Pests|pest|trap count|strips the cabbage by night
Paper Mills|paper|fibre test|carries the disputed will
Robot Moods|mood|dialogue probe|explains the butler unit's silence
Cathedral Organs|organ stop|pipe inspection|wheezes during vespers
Spice Routes|spice|grinding trial|scents the abandoned warehouse
Dance Styles|dance|step analysis|opens the midsummer ball
Software Crashes|crash cause|debug session|ends the payroll program on Fridays
Sand Grains|beach|grain analysis|left its dust in the traveller's shoes
Wool Breeds|sheep breed|fleece test|gave yarn to the fisherman's jersey
Comet Families|comet|spectrum study|passes behind the ringed giant
Fire Origins|fire origin|ash survey|burnt the granary down
Tavern Songs|song|melody query|the stranger hummed at midnight
Swamp Spirits|spirit|lantern ritual|leads wanderers off the causeway
Leather Tans|tanning method|stretch test|cured the saddle from the tomb
Elevator Jams|jam cause|shaft inspection|stops the lift at floor nine
Butterfly Wings|butterfly|wing study|drinks from the thistle field
Sourdough Cultures|culture|ferment check|lives in the bakery's oldest jar
Map Forgeries|map maker|ink survey|drew the false coast
Tidal Creatures|tide pool animal|pool survey|hides under the flat boulder
Guitar Pickups|pickup|string test|gives the record its growl
Forest Tracks|track maker|print cast|crossed the snow near the cabin
Airship Engines|engine|throttle test|drives the brass airship
Tapestry Dyes|dye|fading test|coloured the queen's sleeve
Market Frauds|fraud scheme|ledger check|emptied the guild's treasury
Moon Minerals|regolith type|rover reading|glitters on the crater rim
Puppet Workshops|puppet maker|joint study|carved the limping soldier
Sled Dogs|sled dog|harness trial|leads the team across thin ice
Stained Windows|glass workshop|light study|glazed the eastern rose
Cave Echoes|cave|echo sounding|answers with three echoes
Tax Riddles|deduction|form query|the clerk overlooked twice
Toy Trains|locomotive|track lap|derails at the station curve
Wine Cellars|vintage|decanting|leaks in the seventh rack
Kite Designs|kite|flight test|rises in the weakest breeze
Shadow Guilds|guild|rumour check|hired the rooftop runner
"""

SUBJECTS = tuple(Subject(*line.split("|")) for line in _LINES.strip().splitlines())
