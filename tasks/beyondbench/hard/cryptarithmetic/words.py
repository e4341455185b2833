"""Common English words that word cryptarithms are made of, by length."""

_TEXT = """
able acid acre aged aim air alarm album alert alive alone amber angle angry ankle apple apron
arch area arena argue arm armor army art ash atlas atom aunt award axis axle back bacon badge bag bake
baker ball ballet banana band bank bar bark barn barrel base basil basin basket bath bay beach beam bean
bear beard beast bed bee beef beer beetle bell belt bench berry bike bird birth bite blade blank blaze
blend bless blind block bloom blue board boat body bold bolt bomb bond bone book boot border boss bottle
bottom bowl box boy brain branch brand brass brave bread break breeze brick bride bridge brief bright
bring broad bronze broom brush bubble bucket budget build bull bundle burn bus bush butter button buy
cabin cable cactus cake calf call calm camel camera camp canal candle candy canoe canvas cap car card
care cargo carpet carrot cart carve case cash castle cat catch cattle cave cell cellar cement center
cereal chain chair chalk charm chart chase cheap check cheek cheese cherry chess chest chick chief child
chin choice choose church cider circle city civil claim clay clean clear clerk clever cliff climb clock
close cloth cloud clover club coach coal coast coat cobra cocoa coffee coin cold collar colony color comb
comet comic common cook cookie cool copper copy coral cord corn corner cost cotton couch count court
cousin cover cow crab craft crane crash crater cream credit creek crew crime crisp crop cross crowd crown
crust cube cup cure curl curry curve custom cycle dad daily dairy dance danger dare dark data date dawn
day deal dear decade deck deep deer degree delay denim depth desert desk detail dial diary dice diet
dinner dirt dish ditch dive dock doctor dog doll dome donkey door double dough dove dragon drama draw
dream dress drift drill drink drive drop drum dry duck due dust duty eager eagle ear early earn earth
ease east easy eat echo edge editor effort egg eight elbow elder elect elm empty end enemy energy engine
enjoy enter entry equal error essay even event exact exam exit expert extra eye fable fabric face fact
factor fair fairy faith fall fame family fan farm farmer fast father fear feast fee feed feel fence fern
ferry fever few field fifty fig figure film final find fine finger finish fire firm fish five flag flame
flash flat flavor fleet flight float flock flood floor flour flow flower flute fly foam focus fog fold
folk food foot force forest fork form fort forty fossil found four fox frame free fresh friend frog front
frost fruit fuel full fun fur future galaxy game gap garage garden garlic gas gate gather gear gem genius
gentle ghost giant gift ginger girl give glad glass globe glove glow glue goal goat gold golf good goose
gorge grain grand grape graph grass gravel great green greet grey grid grin grip group grow guard guess
guest guide guitar gulf gym habit hail hair half hall hammer hand handle happy harbor hard harp hat hawk
hay hazel head heart heat heavy hedge heel height helmet help hen herb herd hero hide high hike hill hint
hip hire hobby hold hole hollow home honest honey hood hook hope horn horse host hotel hour house human
humor hunt hurry hut ice icon idea image inch income index infant injury ink inlet insect iron island
item ivory jacket jam jar jaw jazz jeans jelly jet jewel job join joke joy judge juice jump jungle jury
just keen keep kettle key kick kid kind king kiss kite kitten knee knife knight knock knot label labor
lace ladder lady lake lamb lamp land lane large laser last late laugh law lawn layer lazy lead leaf learn
leave left leg lemon lend length lens lesson letter level lever liar lid life lift light lily limb lime
limit line linen lion lip list live lizard load loaf loan lobby local lock log logic long loop lord lot
loud love low loyal luck lunch lung magic magnet mail main major make man manor map maple marble march
margin market mask mass mast master match math meadow meal mean meat medal meet melon melt member memo
memory mend menu mercy merry metal meter middle mild mile milk mill mind mine minor mint minute mirror
mist mix model modern moment money month mood moon moral more moss moth mother motor mouse mouth move mud
mug muscle museum music myth nail name narrow nation nature near neat neck needle nephew nerve nest net
never new news next nice night nine noble noise noon north nose note novel number nurse nut oak oar oasis
oat object ocean odd offer office oil old olive onion only open opera orange orbit orchid order organ
origin otter oven over owl own owner oyster pack paddle page pain paint pair palace palm pan panda panel
paper parade parcel pardon parent park parrot part party pass past paste path patio pause paw pay pea
peace peach peak pear pearl pebble pedal peel pen pencil penny people pepper period pet petal phone photo
phrase piano pick picnic pie piece pig pigeon pile pill pillow pilot pin pine pink pint pipe pirate pitch
place plain plan plane planet plant plate play plot plow plum plump pocket poem poet point polar pole
police polish polite pond pony pool poor pop poppy porch port pose post pot potato pound powder power
praise press price pride prince print prize proof proud prune public pulse pump pupil puppet puppy pure
purple purse push puzzle queen quest quick quiet quilt quiz rabbit race radar radio raft rail rain raise
range rank rapid rare rate raven raw ray razor reach read ready real reason record red reef regal region
relax rely remote rent repair reply rescue rest result ribbon rice rich ride ridge rifle right ring ripe
rise risk rival river road roast robe robin robot rock rocket rod role roll roof room root rope rose
rough round route row royal rubber ruby rug ruin rule ruler run rural rust sack sad saddle safe sail
saint salad salmon salon salt same sand sandal satin sauce scale scarf scene school score scout screen
screw sea seal season seat second secret seed seek sell send senior sense series serve set seven shade
shadow shake shape share shark sharp shed sheep sheet shelf shell shield shift shine ship shirt shock
shoe shop shore short show shower shy sick side sign signal silent silk silly silver simple sing single
sister six size skate sketch ski skill skin skirt sky slate sleep slice slide slim slow small smart smell
smile smoke smooth snack snail snake snow soap soccer social sock soda sofa soft soil solar solid solo
song soon sort soul sound soup south space spade spare spark speak spear speech speed spell spend spice
spider spin spirit sponge spoon sport spot spray spread spring square squash stable staff stage stair
stamp stand star start state statue steak steam steel steep stem step stew stick still stir stock stone
stool stop store storm story stove straw stream street string strong studio study style sugar suit sum
summer sun super supper sure surf swamp swan swap sweet swift swim swing sword symbol syrup system table
tail tailor take tale talk tall tame tan tank tape target task taste taxi tea teach team tear teeth tell
temple ten tennis tent term test text thank theme theory thick thin thing think third thirty thorn three
throat throne thumb ticket tide tidy tie tiger tile timber time tin tiny tip tire tissue title toad toast
today toe token tomato ton tone tongue tool tooth top topic torch total touch tour tower town toy trace
track trade trail train trap travel tray treat tree trend trial tribe trick trip truck trunk trust truth
tube tulip tuna tune tunnel turkey turn turtle twelve twenty twig twin two type uncle under union unit
upper urban usual valley value van vase vast velvet verb verse very vest video view villa vine violet
violin virus visit vivid voice vote voyage wage wagon waist wait wake walk wall walnut want war warm wash
wasp waste watch water wave wax way weak wealth wear weave web weed week weight west whale wheat wheel
whip white whole wide wife wild will win wind window wine wing winner winter wire wise wish wolf woman
wonder wood wool word work world worm worth wound wrap wrist write yard yarn year yeast yellow yes yoga
young youth zebra zero zinc zone zoo
"""
MIN_LENGTH, MAX_LENGTH = 3, 6
WORDS: dict[int, tuple[str, ...]] = {
    length: tuple(sorted({word.upper() for word in _TEXT.split() if len(word) == length}))
    for length in range(MIN_LENGTH, MAX_LENGTH + 1)
}
