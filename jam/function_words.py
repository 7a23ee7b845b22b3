"""Function words of many languages: to tell a text's language, and to leave them out of a search.

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
    "fi": """ehkä ei eikä eivät en et ette että he heidän heitä hän hänen häntä ja jo joka jonka jos jota joten jotka
        kanssa ketkä koska kuin kuinka kuka kun me meidän meille meitä mihin miksi mikä mikään millainen milloin
        minkä minua minulla minulle minun minut minä missä mistä mitä mukaan mutta myös ne niiden niin niitä no
        noin nyt ole olemme olen olet olette oli olimme olin olit olivat olla ollut on ovat se sen siellä sillä
        sinulla sinun sinut sinä sitten sitä tai te teidän tuo tuon tämä tämän tässä tätä vaan vai vain vielä voi
        voin""",
    "et": """aga ega ei ent et ja jah ju juba ka kas keda kelle kellega kes kuhu kui kuid kuidas kus kust küll ma me
        mees meie meil mida miks millal mille milline mina mind minu mis mul mulle nad nagu need neid nende nii
        ning nüüd ole oled oleme olen olete oli olid olime olin olla olnud oma on pole sa seda see selle sest siin
        siis sina sinu sul sulle ta tal talle te teda teie tema too vaid veel või võib""",
    "hu": """a ahhoz aki akik akkor amely amelyek ami amikor amit an az azok azon azt azért be csak de e egy egyik el
        ez ezek ezen ezt ezért fel ha hanem hiszen hogy hogyan hol honnan hová ill ilyen is itt jól kell ki kik le
        lehet lesz lett ma maga majd meg mely melyik mert mi mikor milyen mindig mint mit mivel miért most már
        mégis nagyon ne nekem neki nem nincs olyan ott pedig rá s sem sok szerint talán te tehát ti vagy vagyok
        van vannak vele velem volna volt voltak voltam így össze úgy ő ők őt""",
    "cs": """a aby ale ani asi ačkoli až bez bude budem budeme budu by byl byla byli bylo být ci co což do ho i jak
        jako jaká jaké jaký je jeho jej jejich její jen jenž jestli ještě ji jim jsem jsi jsme jsou jste jí k kam
        každý kde kdo když ke která které který kteří ku mají mezi mi mně moc moje my má mám máme máš mě můj může
        na nad ne nebo nebyl nebyla není než nic nám náš o od on ona oni ono pak po pod podle pokud pro proto
        protože proč při s se si sice svou své svůj ta tady tak také takže tam tato ten tento ti to tohle toho tom
        tomu toto tvůj ty té tím tě u už v ve vy vám vás však z za či že""",
    "pl": """a aby albo ale ani aż bardzo bez bo by byli być był była było będzie będę ci co coś czy czyli dla do gdy
        gdzie go i ich ile im ja jak jaka jaki jakie jako je jego jej jemu jest jestem jesteś jeszcze jeśli jeżeli
        już kiedy kto która które którego której który których którzy ku lub ma mają mam mamy masz mi mnie mną
        moja moje może my mój na nad nam nas nasz nasze nich nie niego niej nim niż o od on ona one oni ono oraz
        pan pani po pod ponieważ przez przy się swoje swój są ta tak taki tam te tego tej ten też to tobie tu
        tutaj twoja twój ty tylko tym u w we więc wszystko wy z za ze że żeby""",
    "ro": """a acea aceasta această aceea acel acest acesta aceste acestui ai aici al ale am ar are as astfel au avea
        aveam avem ați ca care ce cea cei cel cele cine cu cum când cât câte că da dacă dar de deci decât deși din
        ea ei el ele era eram erau este eu ești face fi fie foarte fost la le lor lui mai mea mei mele meu mi mine
        mă ne nici noastră noi nostru nu o ori orice pe pentru prin sa sale sau se sunt suntem să său ta te toate
        tot tu tău un una unde unei unor unui va voi vom vor vreo vă îi îl îmi în între își îți și""",
    "lt": """ant apie ar arba aš be bei bet buvau buvo būsiu būti dar dėl esi esu gal iki ir iš ja jai jam jau jei
        jeigu ji jie jis jo jos jums ją jūs jūsų jų kad kada kai kaip kam kas kiek kita ko kodėl kokia koks kol
        kur kuri kurie kurio kurios kuris kurią ką labai man mane mano manęs mes mums mūsų ne nebuvo nei nes nors
        nuo nėra o pagal pas per prie sau save savo su ta tai taip tas tau tave tavo tačiau ten tie tik to toks tu
        tuo turi turiu už yra į ši šie šio šis šią""",
    "sr": """a ako ali bez bi bih biti bila bile bili bilo bio biće će ćeš ću da dok do ga gde gdje i iako ih ili im iz
        iznad ja je jer još joj ju kad kada kako kao koga koja koje koji kojih kojim koju kod ko li me mene meni
        mi mu moj moja moje moram može mogu možda na nad nam nas naš ne nego neka neki nekoliko ni nije nismo
        nisam nisu niti nju njega njegov njen njih o od on ona oni ono ova ovaj ovde ovo pa po pod prema pri s sa
        sam samo se sebe si smo sta ste su sve svi svoj šta što ta taj tako također takođe te tebe tebi ti to tome
        tu tvoj u uz vam vas već vi vrlo za zašto žao а ако али без би бих бити била били било био ће ћеш ћу да
        док до га где и иако их или им из ја је јер још јој кад када како као која које који којих коју код ко ли
        ме мене мени ми му мој моја моје може могу можда на над нам нас наш не него неки није нисам нису њега њен
        њих о од он она они оно ова овај овде ово па по под према при са сам само се себе си смо сте су све сви
        свој шта што та тај тако такође тебе теби ти то томе ту твој у уз вам вас већ ви за зашто""",
    "ca": """a així això al als amb aquell aquella aquest aquesta aquestes aquests aquí cada cal com d de del dels des
        doncs dues el ella elles ells els em en encara ens entre era eren ets ha han has havia he hem hi ho i ja
        jo l la les li llavors m meu meva mi molt més n no nosaltres nostra nostre o on pel pels per perquè però
        poc quan que qui quin quina què s sa se sense ser serà ses seu seus seva seves si sobre soc sou sóc són t
        també tan te teu teva tinc tot tota té un una unes uns us va vaig vam van vas vau vosaltres és""",
    "eu": """al ala arte asko bai baina baino bat batean batek baten batzuk behar bera berak beren beste bezala bi da
        dago dagoen daiteke daude dela delako den dena dio diot dira direla direnak ditu dituen dituzte du duela
        duen dugu dut dute duzu edo egin egiten egon ere eta ez ezin gara gero gu gure guzti guztiak haiek haren
        hau hauek honen honetan hori horiek horrela hura naiz ni nik nintzen nire noiz nola non nondik nor nora
        nork orain ordea oso zaio zait zein zen zer zergatik zituen zu zuek zuen zure zuten""",
    "eo": """ajn al ankaŭ apud aŭ da de do dum ekde el en estas esti estis estos estu eĉ ili ilia ilin iu iuj ja jam je
        jen kaj ke kia kial kiam kie kiel kies kio kiom kion kiu kiuj kiun kun kvankam la laŭ li lia lin mi mia
        miaj mian min ne nek nenio neniu ni nia niaj nin nun ol oni per plej pli plu por preter pri pro se sed sen
        si sia sian sub super sur tamen tia tial tiam tie tiel tio tion tiu tiuj tiun tra tre tro unu vi via viaj
        vin ĉar ĉe ĉi ĉiu ĉiuj ĉu ĝi ĝia ĝin ĝis ŝi ŝia ŝin""",
    "ga": """a a'am ach ag againn agam agat agus aici aige ar arís as atá b beidh bheith bhfuil bhí bhíonn bíonn cad
        cathain chuig chun conas cá cé céard cén de di do dom duit dá dó dúinn dúirt ea eile faoi fuair fós gach
        gan go gur gurb i iad idir in is le leat leis linn liom mar mo muid mura má mé na nach ná ní níl nó os
        raibh roimh rud seo siad sibh sin sinn sé sí tar thar trí tá táim tú uaim um é í ó""",
    "id": """ada adalah agar akan aku anda apa apakah atau bagaimana bagi bahwa banyak beberapa belum berapa bisa bukan
        dalam dan dapat dari dengan di dia dong gak hanya harus ia ingin ini itu jadi jangan jika juga kalau kami
        kamu kapan karena ke kenapa kepada kita kok lagi lalu lebih maka mana masih mau mengapa mereka namun nggak
        nya oleh pada para punya saat saja sangat saya sebagai sedang sehingga sekarang seorang seperti serta
        siapa sih sudah supaya tapi telah tentang tersebut tetapi tidak untuk ya yaitu yang""",
    "st": """a ba bang batho bo bona boo e ea empa ena eng eo feela fela ha hae haeba haholo hantle hape hara haufi ho
        hobane hona hore joale joalo joang jwalo jwang ka kajeno kapa kapele ke keng kgetlo kgotsa kore kwa la le
        leha lena leo lokela lona me mme mo mona moo motho na nang ne nka nna ntho nthong o oa oo oona pele re
        rona sa se sena seo sona tla tsa tse tsena tseo tsona tswa wa wena ya yena yo yona""",
    "vi": """ai anh bao bạn bằng bị bởi cho chúng chưa chị con các cái còn có cùng cũng của do em gì hay hoặc hơn họ
        khi không là làm lên lại mà mày mình mỗi một mới người nhiều như nhưng những nào này nên nếu phải qua quá
        ra rất rồi sao sẽ sự ta thì thế trong trên tôi tại từ việc và vào vì vẫn vậy về với đang đi đâu đây đã đó
        được đấy đến để ấy ở""",
    "el": """ένα έναν ένας έχει έχεις έχετε έχουμε έχουν έχω ή ήδη ήμουν ήταν αλλά αν ανά απ από αυτά αυτές αυτή αυτήν
        αυτοί αυτού αυτό αυτός αυτών για γιατί γιατι δε δεν δηλαδή δικό είμαι είμαστε είναι είσαι είχα είχαν είχε
        εγώ εδω εδώ εκεί εκείνη εκείνο εκείνος εμάς εμένα εμείς ενός εσένα εσείς εσύ η θα κάθε κάποιος καθώς και
        κατά κι λοιπόν μέσα μέχρι μία μα μας με μη μην μια μου μπορεί μόνο να ναι ο οι ποια ποιο ποιος πολύ ποτε
        που πού προς πως πόσα πόσο πότε πώς σαν σας σε σου στα στη στην στις στο στον στους τα τη την της τι τις
        το τον του τους των τώρα υπό ως όμως όπου όπως όσο όταν ότι όχι ώστε""",
    "hy": """այդ այլ այն այնտեղ այս այստեղ ապա արդեն բայց դա դու դուք ե եթե եմ են ենք ես երբ եւ եք է էի էին էինք էիր էլ
        էր ըստ թե իմ ին ինձ ինչ ինչու ինչպես իսկ իր իրեն կա կամ կար համար հետ ձեզ ձեր մեզ մենք մեջ մեր մի միայն նա
        նաև նրա նրան նրանց նրանք շատ ով որ որը որոնք որպես որտեղ ու ում չեմ չեն չէ չի պիտի սա վրա քեզ քո և""",
    "uk": """а або адже але б без би був буде була були було бути більше в вам вас вже ви вона вони воно все всі всіх
        від він де для до дуже же з за зі й його коли крім лише мене мені ми може можна моя між мій на навіть над
        нам нас наш не нема немає нею неї ним них ну ні о один по при про під свою свій та так такий також там те
        тебе ти тим то тобі того той тому тут у усі хто це цей цього ця ці через чи чого чому ще що щоб щось я як
        яка якби яке який якщо які є і із їм їх її""",
    "bg": """а ако ала без беше би бил била били било бях бяха в вече ви вие все във върху где го да дали два до докато
        е един една едно за защо защото и из или им има имам имаше как каква какво какъв като коeто кога когато
        което които кой който коя къде ли лице ме между мен мене ми мне много може моя моят на над нас наш не нещо
        нея ни ние никой нищо но някой няма обаче около от още по под при с са само се сега си сме сте съм със
        също та тази така такъв там те теб ти това този той тоя тук тя тях у че чрез ще щом я""",
    "ar": """أن أنا أنت أنتم أنه أنها أو أي أيضا أين إذا إلا إلى إن إنه الا التي الذي الذين اللذين الى ان انا انت انه
        او اي ايضا اين ب بل به بها بين تكون تلك ثم حتى حيث خلال ذاك ذلك سوف على علي عليه عليها عن عند عندما عنه
        غير ف في فيه فيها قد كان كانت كل كم كما كنت كيف كيفية ل لأن لا لان لقد لك لكن لم لما لماذا لن له لها لهم
        لي ليس ليست ما ماذا متى مع معي من منذ منه منها نحن نعم هؤلاء هذا هذه هل هم هن هنا هناك هو هي و وقد ولا ولم
        وهو وهي يا يكون""",
    "fa": """آن آنان آنها آیا از است اش ام اما او اگر ای ایشان ایم این اینکه با باشد باید بر برای به بود بودم بودند
        بوده بی تا تو توسط جز خود خودش خیلی دارد دارم دارند داری داشت در دیگر را روی شد شده شما شود ما من می نمی
        نه نیز نیست ها های هر هست هستم هستند هم همه همین هنوز هیچ و وقتی ولی پس چرا چند چه چون چگونه چی کجا کرد
        کردم کرده کند کنم کنند کنید که کی یا یک یکی""",
    "ur": """آپ اب اس اسے ان انہوں اور اپنا اپنی اپنے اگر ایک بھی تم تو تک تھا تھی تھیں تھے تیرا جب جس جن جو جہاں حق
        دیا رہا رہی رہے سکتا سکتی سکتے سے لیکن لیے مجھے میرا میری میرے میں نہ نہیں نے والا والی والے وہ وہاں پر کا
        کب کر کرنا کرنے کسی کو کوئی کون کچھ کہ کہاں کی کیا کیسے کیوں کے گئی گئے گا گی گیا گے ہم ہمارے ہمیں ہو ہوئی
        ہوئے ہوا ہوتا ہوں ہیں ہے یا یہ یہاں""",
    "hi": """अगर अपना अपनी अपने अब आप आपका आपकी आपके इन इस इसका इसकी इसके इसे उन उनके उन्हें उस उसका उसकी उसके उसने उसे
        एक और कब कर करता करती करते करना करने कहाँ कहां का कि किस किसने किसी की कुछ के कैसे को कोई कौन क्या क्यों
        गई गए गया गये चाहिए जब जहाँ जहां जिस जो तक तब तुम तुम्हारा तुम्हें तो था थी थे दिया दी द्वारा नहीं ने पर
        बहुत भी मगर मुझे में मेरा मेरी मेरे मैं मैंने यदि यह यहाँ यहां या ये रहा रही रहे लिए लेकिन वह वहाँ वहां
        वाला वाली वाले वे वो सकता सकती सकते साथ से हम हमने हमारा हमारी हमारे हमें हर ही हुआ हुई हुए हूँ हूं है हैं
        हो होता होती होते होने""",
    "ne": """अनि अब आफू आफ्नो उनको उनले उनी उनीहरू उसको उसले ऊ एउटा एक कति कसको कसरी कहाँ कहिले कि किन कुन कुनै के को
        गरी गरेको गर्न गर्नु गर्ने छ छन् छु छैन छौ जब जसको जसले जुन त तथा तपाईं तपाईंको तर तिमी तिमीलाई तिम्रो
        त्यहाँ त्यो थिइन थिइन् थिए थिएँ थिएन थियो द्वारा न निजको नै पनि पर्छ प्रत्येक बाट भएका भएको भने भन्ने भयो
        म मलाई मा मेरो मैले यदि यस यहाँ यी यो र रहेको लाई लागि ले वा सँग सम्म सो हामी हामीले हाम्रो हुँ हुन हुने
        हुनेछ हुन् हुन्छ हो""",
    "ta": """அதன் அது அதை அந்த அல்லது அவன் அவர் அவர்கள் அவள் ஆகிய ஆகும் ஆனால் இது இதை இந்த இருக்கிறது இருக்கும்
        இருந்தது இருந்து இல்லை உங்கள் உனது உன் உள்ள உள்ளது எங்கள் எங்கே எது எந்த எனக்கு எனது என் என்ன என்னும்
        என்னை என்பது என்று எப்படி எப்போது எல்லா ஏன் ஒரு ஒவ்வொரு கொண்டு செய்ய தன் தான் நாங்கள் நான் நாம் நீ நீங்கள்
        பற்றி போது போல மற்றும் மிகவும் மேலும் யார் வரை வேண்டும்""",
    "he": """אבל או אותה אותו אותי אותך אותם אז איך אין אינו איפה אך אל אלא אלה אם אנו אנחנו אני אצל אשר את אתה אתם בה
        בו בין בלי גם הוא הזאת הזה הזו היא היה היו הייתה הייתי היכן היתה הם הן הנה זאת זה זו יש כאן כאשר כבר כי כך
        כל כמה כמו כן לא לה להם לו לי לך לכן ללא למה לנו לפי מאוד מדוע מה מי מן מתי עד עוד על עם רק ש של שלה שלהם
        שלו שלי שלך שלנו שם""",
    "yi": """אַ אַז אַלע אַלץ אַן אָבער אָדער אָן אבער אדער אויב אויך אויף און אונדז אונדזער אז איז איך אים אין איר
        אירע אלע ביז ביי בין ביסט ביסטו בײַ דאַרף דאָ דאָס דאס דארף דו די דיין דיר דעם דער דײַן האָב האָבן האָט
        האָסט האב האבן האט וואָס וואו וואס ווו ווי ווייל וועט ווען ווער זאָל זאָלן זאל זיי זיין זיינען זיך זענען
        זײ זײַן זײַנען יעדער יעדערער מיט מיין מיך מיר מער מײַן נאָר נאר ניט נישט פֿאַר פֿאר פֿון פאַר פאר פון צו
        צום קיין קען קענען קײן װאָס װוּ װי װעט װען װער װײַל""",
    "zh": """的 了 是 我 你 他 她 它 们 在 有 和 与 就 不 也 都 这 那 吗 呢 吧 啊 很 把 被 着 过 到 说 要 会 个 么
        之 其 而 及 或 得 地 什么 怎么 我们 你们 他们 她们 它们 这个 那个 哪个 哪里 哪儿 这里 那里 为什 时候 多少
        没有 一个 是不 不是 就是 还是 可以 因为 所以 但是 如果 我的 你的 他的 她的""",
    "ja": """です ます した して いる てい ない から まで ので けど だっ った ました まし しま いま てる とは には
        では でも これ それ あれ どこ だれ いつ なぜ どの この その あの こと もの よう たい たち さん ませ せん
        なに どう てき など より って んだ のか ある する 私は 何を 誰が 何で すか りま いた たの のは のが のを""",
    "ko": """그리고 그런데 그래서 하지만 그러나 나는 내가 나의 너는 네가 우리 저는 제가 그는 그녀는 이것 그것 저것
        여기 거기 저기 무엇 무엇을 누가 언제 어디 어디서 어디에 왜 어떻게 있다 없다 있는 없는 하는 했다 합니다 했어
        했어요 있어 있어요 입니다 이다 수 것 등 및 또는""",
}

FUNCTION_WORDS: dict[str, frozenset[str]] = {language: frozenset(words.split()) for language, words in _WORDS.items()}
"""Language (a key of `jam.languages.LANGUAGES`) → its function words."""
