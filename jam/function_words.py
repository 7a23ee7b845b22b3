"""Function words of twelve languages: to tell a text's language, and to leave them out of a search.

Each list has the words that carry grammar rather than content and that any text of the language is full of. Words
that may matter to a question ("before", "again") are not in them.
"""

from __future__ import annotations

_WORDS = {
    "en": """a about also am an and any are as at be been being both but by can could did do does doing don done each
        either for from had has have having he her hers herself him himself his how i if in into is it its itself just
        ll may me might mine must my myself neither no nor not of off on once only onto or our ours ourselves over own
        re same shall she should so some such t than that the their theirs them themselves then there these they this
        those to too under until upon us ve very was we were what when where whether which while who whom whose why
        will with would you your yours yourself d m s""",
    "de": """aber als am an auch auf aus bei beim bin bis bist da damit dann das dass dein deine dem den denn der des
        dessen dich die dies diese diesem diesen dieser dieses dir doch dort du durch ein eine einem einen einer eines
        er es etwas euch euer für gegen habe haben hat hatte hatten hier ich ihm ihn ihnen ihr ihre ihrem ihren ihrer
        im in ins ist ja jede jedem jeden jeder jetzt kann kein keine keinen können man mein meine meinem meinen meiner
        mich mir mit muss nach nicht noch nun nur ob oder ohne sehr sein seine seinem seinen seiner seit sich sie sind
        so soll sollte über um und uns unser unsere unter vom von vor wann war waren warum was weil wenn wer werde
        werden wie wieder will wir wird wo worden wurde wurden zu zum zur zwischen""",
    "fr": """à ai ainsi alors as au aucun aussi autre aux avait avec avez avoir avons c ça ce ceci cela ces cet cette
        ceux chez comme d dans de des donc dont du elle elles en est et étaient était être eu eux fait il ils j je l la
        le les leur leurs lui m ma mais me même mes moi mon n ne ni nos notre nous on ont ou où par pas peu plus pour
        pourquoi qu quand que quel quelle quelles quels qui s sa sans se sera ses si son sont sous suis sur t ta te tes
        toi ton tous tout toute très tu un une vos votre vous y""",
    "es": """a al algo ante aunque como con contra cual cuál cuando cuándo de del desde donde dónde e el él ella ellas
        ellos en entre era eran eres es esa ese eso esta está están estas este esto estos fue fueron ha había han has
        hasta hay he la las le les lo los me mi mí mis muy más nada ni no nos nosotros nuestra nuestro o os otra otro
        para pero por porque qué que quién quien se ser será si sí sin sobre son soy su sus también tan te tengo ti
        tiene tu tú tus un una uno unos usted y ya yo""",
    "it": """a ad ai al alla alle anche avere aveva c che chi ci cui come con cosa cosí così da dal dalla dei del della
        delle di dove e è ed era erano fra gli ha hai hanno ho i il in io l la le lei li lo loro lui ma me mi mia mie
        mio miei ne nei nel nella noi non nostra nostro o per perché più però qual quale quando quella quello questa
        queste questi questo qui se sei sia si sono sta su sua sue sul sulla suo suoi ti tra tu tua tuo tutti tutto un
        una uno vi voi""",
    "pt": """a à ao aos as às até com como da das de dela dele do dos e é ela elas ele eles em entre era eram essa esse
        esta está estão este eu foi foram há isso isto já lhe mais mas me mesmo meu meus minha minhas muito na não nas
        nem no nos nós nossa nosso num numa o onde os ou para pela pelas pelo pelos por porque qual quando que quem se
        sem ser será seu seus só sua suas também te tem têm tinha tu tua um uma você vocês""",
    "nl": """aan al als altijd bij dan dat de den der deze die dit doch doen door dus een en er ge geen geweest haar had
        heb hebben heeft hem het hier hij hoe hun ik in is ja je jij jullie kan kon kunnen maar me mee meer men met mij
        mijn moet na naar niet niets nog nu of om omdat onder ons onze ook op over te tegen toch toen tot u uit uw van
        veel voor waar waarom wanneer want waren was wat we wel werd wezen wie wij wil worden wordt zal ze zei zelf zich
        zij zijn zo zonder zou""",
    "sv": """alla allt att av bara blev bli blir blivit de dem den denna deras dess det detta dig din dina ditt du där
        efter ej eller en er ett från för ha hade han hans har henne hennes hon honom hur här i icke ingen inom inte jag
        ju kan kunde man med mellan men mig min mina mitt mot mycket ni nu när något några och om oss på samma sedan sig
        sin sina sitt sjä själv skulle så sådan till under upp ut utan vad var vara varför vara varit vart vem vi vid
        vilken är åt över""",
    "da": """af alle alt anden at blev blive bliver da de dem den denne der deres det dette dig din disse dog du efter
        eller en end er et for fra ham han hans har havde have hende hendes her hos hun hvad hvem hvis hvor hvordan
        hvorfor hvornår i ikke ind jeg jer jo kunne man mange med meget men mig min mine mit mod ned noget nogle nu når
        og også om op os over på selv sig sin sine sit skal skulle som sådan thi til ud under var vi vil ville vor være
        været""",
    "no": """alle at av både bare ble blei bli blir da de deg dei den denne der dere deres det dette di din disse ditt
        du eg ei eit eller en enn er et etter for fordi fra før ha hadde han hans har henne hennes her hos hun hva
        hvem hver hvilken hvis hvor hvordan hvorfor i ikke ingen inn ja jeg kan kom kunne man mange med meg men mer min
        mitt mot mye ned nei noe noen nå når og også om opp oss over på seg selv si sin sitt skal skulle slik som så til
        um ut uten var vi vil ville vår være vært å""",
    "ru": """а без более больше будет бы был была были было быть в вам вас весь во вот все всех вы где да даже для до
        его ее её если есть еще ещё же за здесь и из или им их к как какой когда кто ли меня мне мной мой моя мы на над
        нам нас наш не него нее ней нет ни них но ну о об один он она они оно от по под потому почему при с сам свой
        себе себя со так также такой там тебя тем то того тоже той только том тот тут ты у уже чего чем что чтобы чьё
        эта эти это этого этой этом этот я""",
    "tr": """acaba ama ancak bana bazı belki ben beni benim beri bile bir biraz biz bize bizi bizim bu buna bunda bundan
        bunu bunun çok çünkü da daha de defa değil diye dolayı en gibi göre hangi hem hep hepsi her hiç için ile ise
        kadar ki kim kime kimi mi mı mu mü nasıl ne neden nerede niye o olan olarak oldu olduğu olur ona ondan onlar
        onu onun ise rağmen sana sen seni senin şey şimdi siz sizi sizin şu tüm ve veya ya yani yok zaten""",
}

FUNCTION_WORDS: dict[str, frozenset[str]] = {language: frozenset(words.split()) for language, words in _WORDS.items()}
"""Language (a key of `jam.text.LANGUAGES`) → its function words."""
