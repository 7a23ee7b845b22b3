"""Search in many languages: each has a small history, and questions whose words are inflected otherwise than there."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import jam
from jam.cli.main import cli
from jam.index.analyzer import analyze, query_terms, speaks_of_self, text_language, text_terms
from jam.index.search_index import SearchIndex
from jam.languages import LANGUAGES, language, spoken_in
from jam.letters import fold, plain_letters
from tests.histories import write_chat
from tests.index.indexes import index_of

any_text = st.text(st.characters(exclude_categories=()), max_size=80)
lettered = st.text(
    st.sampled_from("aéßıİñøčσςйёאַבהأىةـفपि्ँதிกําກိ္ကខ្ម東猫カﾃﾞー물을ᄆ3٣_./-'’ \u200c\u200d\u00ad\u0301\u0323"), max_size=40
)

HISTORIES: dict[str, tuple[str, ...]] = {
    "de": (
        "Gestern haben wir die alten Häuser am Hafen besichtigt.",
        "Meine Schwester hat einen neuen Hund, er heißt Bruno.",
        "Der Zahnarzt hat mir zwei Termine im März vorgeschlagen.",
        "Ich habe die Schlüssel beim Nachbarn in der Bergstraße gelassen.",
        "Für die Suppe brauchst du drei Kürbisse und etwas Ingwer.",
        "Unser Auto steht seit Montag in der Werkstatt.",
        "Die Kinder lernen jetzt Schwimmen im Hallenbad.",
        "Am Wochenende backen wir Brot mit Walnüssen.",
    ),
    "fr": (
        "Hier j'ai acheté deux vélos d'occasion pour les enfants.",
        "Ma grand-mère habite près de la gare de Nantes.",
        "La réunion avec le propriétaire est reportée à jeudi.",
        "Nous avons planté des tomates derrière la maison.",
        "Le médecin m'a prescrit un sirop contre la toux.",
        "J'ai oublié mon parapluie dans le train de Lyon.",
        "Le gâteau au chocolat était pour l'anniversaire de Chloé.",
        "Les voisins vont déménager au mois de juin.",
    ),
    "es": (
        "Ayer compré dos boletos para el concierto de guitarra.",
        "Mi hermana trabaja en una panadería cerca de la plaza.",
        "El médico me dijo que camine todos los días.",
        "La canción que cantamos en la boda era de mi abuelo.",
        "Dejamos las llaves debajo de la maceta roja.",
        "Los niños están aprendiendo a nadar en la piscina.",
        "El próximo año queremos viajar a las montañas.",
        "El gato del vecino se comió nuestro pescado.",
    ),
    "pl": (
        "Wczoraj kupiłem dwie książki o historii kolei.",
        "Moja siostra mieszka teraz w Krakowie przy rynku.",
        "Lekarz przepisał mi tabletki na ból głowy.",
        "Klucze zostawiłem u sąsiadki na parterze.",
        "W sobotę pieczemy szarlotkę z jabłkami z ogrodu.",
        "Samochód jest w warsztacie od poniedziałku.",
        "Dzieci uczą się pływać na basenie.",
        "Nasz kot znowu uciekł przez okno.",
    ),
    "tr": (
        "Dün pazardan üç kilo elma aldım.",
        "Ablam şimdi Ankara'da bir okulda öğretmen olarak çalışıyor.",
        "Anahtarları komşuya bıraktım, akşam alırsın.",
        "Doktor bana her gün yürümemi söyledi.",
        "Kitapları kütüphaneye geri götürmeyi unutma.",
        "Çocuklar havuzda yüzmeyi öğreniyor.",
        "Arabamız pazartesiden beri tamirde.",
        "Bahçedeki güller bu yıl erken açtı.",
    ),
    "fi": (
        "Ostin eilen kaksi vanhaa kirjaa torilta.",
        "Siskoni asuu nyt Turussa lähellä satamaa.",
        "Lääkäri määräsi minulle uudet silmälasit.",
        "Jätin avaimet naapurille, kun lähdin matkalle.",
        "Lapset oppivat uimaan uimahallissa.",
        "Meidän auto on ollut korjaamolla maanantaista asti.",
        "Mökillä leivotaan ruisleipää joka lauantai.",
        "Koiramme karkasi metsään ja tuli illalla takaisin.",
    ),
    "hu": (
        "Tegnap vettem két könyvet a piacon.",
        "A nővérem most Szegeden lakik a folyó mellett.",
        "Az orvos új szemüveget írt fel nekem.",
        "A kulcsokat a szomszédnál hagytam.",
        "A gyerekek úszni tanulnak az uszodában.",
        "Az autónk hétfő óta a szerelőnél van.",
        "Szombaton diós kenyeret sütünk a kertben.",
        "A kutyánk megint kiszökött az erdőbe.",
    ),
    "cs": (
        "Včera jsem koupil dvě staré knihy o železnici.",
        "Moje sestra teď bydlí v Brně u nádraží.",
        "Lékař mi předepsal nové brýle.",
        "Klíče jsem nechal u sousedky v přízemí.",
        "Děti se učí plavat v bazénu.",
        "Naše auto je od pondělí v servisu.",
        "V sobotu pečeme koláč s jablky ze zahrady.",
        "Náš pes zase utekl do lesa.",
    ),
    "vi": (
        "Hôm qua tôi mua hai quyển sách ở chợ.",
        "Chị tôi bây giờ sống ở Đà Nẵng gần bãi biển.",
        "Bác sĩ bảo tôi phải đi bộ mỗi ngày.",
        "Tôi để chìa khóa ở nhà hàng xóm.",
        "Bọn trẻ đang học bơi ở hồ.",
        "Xe máy của tôi hỏng từ thứ hai.",
        "Cuối tuần này mẹ sẽ nấu phở bò.",
        "Con mèo nhà mình lại trèo lên mái nhà.",
    ),
    "ru": (
        "Вчера я купил две старые книги о железной дороге.",
        "Моя сестра теперь живёт в Казани возле вокзала.",
        "Врач выписал мне новые очки.",
        "Ключи я оставил у соседки на первом этаже.",
        "Дети учатся плавать в бассейне.",
        "Наша машина с понедельника стоит в мастерской.",
        "В субботу мы печём пирог с яблоками из сада.",
        "На новый год мы поставили ёлку на балконе.",
    ),
    "el": (
        "Χθες αγόρασα δύο παλιά βιβλία από την αγορά.",
        "Η αδερφή μου μένει τώρα στα Χανιά κοντά στο λιμάνι.",
        "Ο γιατρός μου έγραψε καινούργια γυαλιά.",
        "Άφησα τα κλειδιά στον γείτονα του ισογείου.",
        "Τα παιδιά μαθαίνουν κολύμπι στην πισίνα.",
        "Το αυτοκίνητο είναι στο συνεργείο από τη Δευτέρα.",
        "Το Σάββατο φτιάχνουμε πίτα με μήλα από τον κήπο.",
        "Ο σκύλος μας έφυγε πάλι προς το δάσος.",
    ),
    "ar": (
        "اشتريت أمس كتابين قديمين من السوق.",
        "أختي تسكن الآن في الإسكندرية قرب الميناء.",
        "قال لي الطبيب أن أمشي كل يوم.",
        "تركت المفاتيح عند الجارة في الطابق الأول.",
        "الأطفال يتعلمون السباحة في المسبح الكبير.",
        "السيارة في الورشة منذ يوم الاثنين.",
        "سنخبز كعكة بالتفاح يوم السبت.",
        "هرب القط من النافذة مرة أخرى.",
    ),
    "fa": (
        "دیروز دو کتاب قدیمی از بازار خریدم.",
        "خواهرم حالا در شیراز نزدیک ایستگاه زندگی می‌کند.",
        "دکتر به من گفت که هر روز پیاده‌روی کنم.",
        "کلیدها را پیش همسایه گذاشتم.",
        "بچه‌ها در استخر شنا یاد می‌گیرند.",
        "ماشین ما از دوشنبه در تعمیرگاه است.",
        "شنبه با سیب‌های باغ کیک می‌پزیم.",
        "گربه‌ی ما دوباره از پنجره فرار کرد.",
    ),
    "he": (
        "אתמול קניתי שני ספרים ישנים בשוק.",
        "אחותי גרה עכשיו בחיפה ליד הנמל.",
        "הרופא אמר לי ללכת ברגל כל יום.",
        "השארתי את המפתחות אצל השכנה בקומה הראשונה.",
        "הילדים לומדים לשחות בבריכה.",
        "המכונית שלנו במוסך מיום שני.",
        "בשבת נאפה עוגת תפוחים מהגינה.",
        "החתול שוב ברח דרך החלון.",
    ),
    "hi": (
        "कल मैंने बाज़ार से दो पुरानी किताबें खरीदीं।",
        "मेरी बहन अब जयपुर में स्टेशन के पास रहती है।",
        "डॉक्टर ने मुझे रोज़ टहलने को कहा है।",
        "चाबियाँ मैंने पड़ोसी के घर पर छोड़ दी हैं।",
        "बच्चे तालाब में तैरना सीख रहे हैं।",
        "हमारी गाड़ी सोमवार से मरम्मत में है।",
        "शनिवार को हम सेब का केक बनाएंगे।",
        "बिल्ली फिर खिड़की से भाग गई।",
    ),
    "ta": (
        "நேற்று நான் சந்தையில் இரண்டு பழைய புத்தகங்கள் வாங்கினேன்.",
        "என் அக்கா இப்போது மதுரையில் கோவில் அருகே வசிக்கிறாள்.",
        "மருத்துவர் என்னை தினமும் நடக்கச் சொன்னார்.",
        "சாவியை பக்கத்து வீட்டில் கொடுத்து வைத்தேன்.",
        "குழந்தைகள் குளத்தில் நீச்சல் கற்கிறார்கள்.",
        "எங்கள் கார் திங்கட்கிழமை முதல் பழுது பார்க்கும் இடத்தில் உள்ளது.",
        "சனிக்கிழமை மாம்பழ ஊறுகாய் போடுவோம்.",
        "பூனை மறுபடியும் ஜன்னல் வழியாக ஓடிவிட்டது.",
    ),
    "th": (
        "เมื่อวานฉันซื้อหนังสือเก่าสองเล่มจากตลาด",
        "พี่สาวของฉันย้ายไปอยู่เชียงใหม่ใกล้สถานีรถไฟ",
        "หมอบอกให้ฉันเดินออกกำลังกายทุกวัน",
        "ฉันฝากกุญแจไว้กับเพื่อนบ้านชั้นหนึ่ง",
        "เด็กๆ กำลังเรียนว่ายน้ำที่สระ",
        "รถของเราอยู่ที่อู่ซ่อมตั้งแต่วันจันทร์",
        "วันเสาร์เราจะอบขนมเค้กแอปเปิล",
        "แมวหนีออกทางหน้าต่างอีกแล้ว",
    ),
    "km": (
        "ម្សិលមិញខ្ញុំបានទិញសៀវភៅចាស់ពីរក្បាលនៅផ្សារ",
        "បងស្រីខ្ញុំរស់នៅបាត់ដំបងក្បែរស្ថានីយ",
        "គ្រូពេទ្យប្រាប់ខ្ញុំឱ្យដើររាល់ថ្ងៃ",
        "ខ្ញុំទុកកូនសោនៅផ្ទះអ្នកជិតខាង",
        "ក្មេងៗកំពុងរៀនហែលទឹក",
        "ឆ្មារត់ចេញតាមបង្អួចម្តងទៀត",
    ),
    "zh": (
        "昨天我在市场买了两本旧书。",
        "姐姐现在住在成都的火车站附近。",
        "医生让我每天散步半小时。",
        "我把钥匙放在一楼的邻居那里了。",
        "孩子们正在游泳馆学游泳。",
        "我们的车从星期一起就在修理厂。",
        "星期六我们要做苹果蛋糕。",
        "我家的猫又从窗户跑出去了。",
    ),
    "ja": (
        "昨日、市場で古い本を二冊買いました。",
        "姉は今、京都の駅の近くに住んでいます。",
        "医者に毎日歩くように言われました。",
        "鍵は一階のお隣さんに預けました。",
        "子どもたちはプールで水泳を習っています。",
        "車は月曜日から修理に出しています。",
        "土曜日にりんごのケーキを焼きます。",
        "うちの猫がまた窓から逃げてしまった。",
    ),
    "ko": (
        "어제 시장에서 오래된 책을 두 권 샀어요.",
        "언니는 지금 부산역 근처에 살고 있어요.",
        "의사가 매일 걸으라고 했어요.",
        "열쇠는 일층 이웃에게 맡겨 두었어요.",
        "아이들이 수영장에서 수영을 배우고 있어요.",
        "우리 자동차는 월요일부터 정비소에 있어요.",
        "토요일에 사과 케이크를 구울 거예요.",
        "고양이가 또 창문으로 도망갔어요.",
    ),
}

QUESTIONS = [
    ("de", "Welches Haus habt ihr angesehen?", 0),
    ("de", "Wann ist mein Termin bei den Zahnärzten?", 2),
    ("de", "Bei wem in der Bergstrasse liegt der Schluessel?", 3),
    ("de", "Welche Suppen brauchen Ingwer?", 4),
    ("fr", "Où est-ce que j'ai acheté le vélo ?", 0),
    ("fr", "Quand est la reunion avec les proprietaires ?", 2),
    ("fr", "Qui a planté la tomate ?", 3),
    ("es", "¿Cuánto costó el boleto?", 0),
    ("es", "¿De quien eran las canciones?", 3),
    ("es", "¿Dónde está la llave?", 4),
    ("es", "¿A qué montaña queremos ir?", 6),
    ("pl", "Ile kosztowała książka?", 0),
    ("pl", "Gdzie jest klucz?", 3),
    ("pl", "Z czym był placek, z jabłkiem?", 4),
    ("tr", "Elmaları nereden aldın?", 0),
    ("tr", "Anahtar kimde?", 2),
    ("tr", "Hangi kitap kütüphaneden?", 4),
    ("fi", "Mistä kirjat ovat?", 0),
    ("fi", "Kenellä avain on?", 3),
    ("fi", "Minne koirat karkasivat?", 7),
    ("hu", "Hol vettem a könyveket?", 0),
    ("hu", "Kinél van a kulcs?", 3),
    ("hu", "Milyen kenyér volt?", 6),
    ("cs", "Kolik stála kniha?", 0),
    ("cs", "Kde je klíč?", 3),
    ("vi", "Chìa khóa ở đâu?", 3),
    ("vi", "chi toi song o Da Nang phai khong", 1),
    ("vi", "Ai nấu phở?", 6),
    ("ru", "Где книга о дорогах?", 0),
    ("ru", "У кого ключ?", 3),
    ("ru", "Куда поставили елки?", 7),
    ("ru", "Когда будет яблочный пирог из яблок?", 6),
    ("el", "Πού είναι το κλειδί;", 3),
    ("el", "ΠΟΥ ΕΙΝΑΙ ΤΑ ΓΥΑΛΙΑ;", 2),
    ("el", "Τι έκαναν οι σκύλοι στα δάση;", 7),
    ("ar", "أين المفتاح؟", 3),
    ("ar", "أين تسكن اختي؟ في الاسكندرية؟", 1),
    ("ar", "متى نأكل الكَعْكَة؟", 6),
    ("fa", "کلید کجاست؟", 3),
    ("fa", "كتاب ها را از کجا خریدم؟", 0),
    ("he", "איפה הַמַּפְתְּחוֹת?", 3),
    ("he", "מתי המכונית תצא מהמוסך?", 5),
    ("hi", "किताब कहाँ से आई?", 0),
    ("hi", "चाबी किसके पास है?", 3),
    ("hi", "बाजार कब गए?", 0),
    ("ta", "எந்தப் புத்தகம் வாங்கினேன்?", 0),
    ("ta", "சாவி எங்கே?", 3),
    ("th", "กุญแจอยู่ที่ไหน", 3),
    ("th", "ซื้อหนังสืออะไรมา", 0),
    ("km", "កូនសោនៅឯណា", 3),
    ("zh", "钥匙在谁那里？", 3),
    ("zh", "谁家的猫跑了？", 7),
    ("zh", "哪天做蛋糕？", 6),
    ("ja", "鍵はどこにありますか？", 3),
    ("ja", "ﾌﾟｰﾙで何をしていますか？", 4),
    ("ja", "どんな本を買った？", 0),
    ("ja", "猫はどうなった？", 7),
    ("ko", "책은 어디에서 샀어요?", 0),
    ("ko", "열쇠를 누가 가지고 있어요?", 3),
    ("ko", "고양이는 어떻게 됐어요?", 7),
]


def chat(name: str, texts: tuple[str, ...]) -> jam.Session:
    return jam.Session(name, tuple(jam.Message("user", text) for text in texts))


def best(index: SearchIndex, question: str) -> tuple[str, int]:
    return index.place(index.rank(question).best(1)[0][0])


@pytest.fixture(scope="module")
def notes() -> dict[str, SearchIndex]:
    """A session for each message, so that no message speaks for its neighbour; an index for each language."""
    return {name: index_of(*single(name)) for name in HISTORIES}


@pytest.fixture(scope="module")
def everything() -> SearchIndex:
    return index_of(*(note for name in HISTORIES for note in single(name)))


def single(name: str) -> list[jam.Session]:
    return [chat(f"{name}-{number}", (text,)) for number, text in enumerate(HISTORIES[name])]


@pytest.mark.parametrize(("spoken", "question", "message"), QUESTIONS)
def test_a_question_finds_its_message(notes, spoken, question, message):
    assert best(notes[spoken], question) == (f"{spoken}-{message}.md", 1)


@pytest.mark.parametrize(("spoken", "question", "message"), QUESTIONS)
def test_a_question_finds_its_message_among_all_languages(everything, spoken, question, message):
    assert best(everything, question) == (f"{spoken}-{message}.md", 1)


SENTENCES = {
    "it": "Ieri non ho trovato le chiavi che mi avevi dato.",
    "pt": "Não sei onde você deixou as minhas chaves ontem.",
    "nl": "Ik weet niet waar je de sleutels hebt neergelegd.",
    "sv": "Jag vet inte var du har lagt mina nycklar.",
    "da": "Jeg ved ikke, hvad du har gjort af mine nøgler, og hvornår.",
    "no": "Jeg vet ikke hva du har gjort med nøklene mine, men noen må ha dem.",
    "et": "Ma ei tea, kus sa oma võtmed jätsid.",
    "ro": "Nu știu unde ai pus cheile mele de la mașină.",
    "lt": "Aš nežinau, kur tu padėjai mano raktus.",
    "sr": "Ne znam gde si ostavio moje ključeve juče.",
    "ca": "No sé on has deixat les meves claus, però les necessito.",
    "eu": "Ez dakit non utzi dituzun nire giltzak.",
    "eo": "Mi ne scias, kie vi lasis miajn ŝlosilojn.",
    "ga": "Níl a fhios agam cá bhfuil na heochracha a bhí agat.",
    "id": "Saya tidak tahu di mana kamu menaruh kunci itu.",
    "st": "Ha ke tsebe hore na o beile linotlolo tsa ka hokae.",
    "uk": "Я не знаю, де ти залишив мої ключі.",
    "bg": "Не знам къде си оставил моите ключове.",
    "hy": "Ես չգիտեմ, թե որտեղ ես թողել իմ բանալիները։",
    "yi": "איך ווייס נישט וווּ דו האָסט געלאָזט די שליסלען.",
    "ur": "مجھے نہیں معلوم کہ تم نے چابیاں کہاں رکھی ہیں۔",
    "ne": "मलाई थाहा छैन तिमीले साँचो कहाँ राख्यौ।",
    "ka": "არ ვიცი, სად დატოვე გასაღები.",
    "bn": "আমি জানি না তুমি চাবি কোথায় রেখেছ।",
    "lo": "ຂ້ອຍບໍ່ຮູ້ວ່າກະແຈຢູ່ໃສ",
    "my": "သော့ဘယ်မှာထားလဲ ကျွန်တော်မသိဘူး",
    "en": "I don't know where you have left the keys.",
}


@pytest.mark.parametrize(("spoken", "text"), SENTENCES.items())
def test_the_language_of_a_sentence_is_told(spoken, text):
    assert language(text) == spoken


@pytest.mark.parametrize("spoken", HISTORIES)
def test_the_language_of_a_history_is_told(spoken):
    assert spoken_in(HISTORIES[spoken], "en")[0] == spoken


def test_cyrillic_and_latin_serbian_are_one_language():
    assert language("Не знам где си оставио моје кључеве јуче.") == "sr"
    assert terms("кључеве", "sr") == terms("ključeve", "sr")


@pytest.mark.parametrize("text", ["", "8443", "OK", "👍🏽", "https://example.org/a/b"])
def test_what_says_nothing_has_no_language(text):
    assert language(text) is None
    assert spoken_in([text], "fr") == ("fr", ["fr"])


def test_a_message_in_another_language_than_its_session_has_its_own():
    texts = [*HISTORIES["de"], SENTENCES["en"], HISTORIES["ru"][0], "Ok!", HISTORIES["de"][1]]
    main, each = spoken_in(texts, "en")
    assert main == "de"
    assert each[-5:] == ["de", "en", "ru", "de", "de"]


def test_a_short_message_in_another_script_than_its_session_is_not_in_its_language():
    assert spoken_in([*HISTORIES["ru"], HISTORIES["es"][1]], "en")[1][-1] == "es"


def test_who_switches_languages_is_found_in_each():
    mixed = tuple(HISTORIES[name][number] for number in (1, 3) for name in ("de", "ru", "es", "zh", "ar"))
    index = index_of(chat("mixed", mixed))
    assert set(index.collection.languages) == {"de", "ru", "es", "zh", "ar"}
    for question, message in [("Welche Hunde sind neu?", 1), ("В Казань, к вокзалу?", 2), ("¿Qué canciones?", 8)]:
        assert message in {index.message_number(row) for row, _ in index.rank(question).best(2)}


def terms(text: str, spoken: str) -> list[str]:
    return [term for term, _ in analyze(text, spoken)]


@pytest.mark.parametrize(
    ("spoken", "one", "other"),
    [
        ("es", "canción", "cancion"),
        ("fr", "étudiée", "etudiee"),
        ("de", "Müllers Straße", "Muellers Strasse"),
        ("pl", "książka", "ksiazka"),
        ("tr", "kapıyı", "kapiyi"),
        ("vi", "đường", "duong"),
        ("ru", "ёлка", "елка"),
        ("el", "δρόμος", "ΔΡΟΜΟΣ"),
        ("ar", "مُدَرِّسَة", "مدرســة"),
        ("ar", "الأستاذ", "الاستاذ"),
        ("fa", "کتابی", "كتابي"),
        ("fa", "کتاب‌ها", "کتاب"),
        ("he", "שָׁלוֹם", "שלום"),
        ("hi", "लड़का", "लडका"),
        ("hi", "बच्चियाँ", "बच्चियां"),
        ("ja", "カメラ", "ｶﾒﾗ"),
        ("ko", unicodedata.normalize("NFD", "자전거"), "자전거"),
        ("en", "Ｈａｒｂｏｒ", "harbor"),
        ("en", "hyphen\u00adated", "hyphenated"),
        ("en", "३ ٣ 3", "3 3 3"),
    ],
)
def test_either_spelling_finds_the_other(spoken, one, other):
    assert set(terms(one, spoken)) & set(query_terms(other, [spoken])[0].stems)
    assert set(terms(other, spoken)) & set(query_terms(one, [spoken])[0].stems)


@pytest.mark.parametrize("word", ["हिन्दी", "தமிழ்", "বাংলা", "മലയാളം", "සිංහල", "ti\u1ebfng", "x\u0302y", "कर्म\u200dयोग"])
def test_marks_do_not_cut_a_word(word):
    assert len(text_terms(word)) == 1


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("กาแฟ", ["กา", "าแ", "แฟ"]),
        ("ที่นี่", ["ที่นี่"]),
        ("ខ្មែរ", ["ខ្មែរ"]),
        ("မြန်မာ", ["မြန်", "န်မာ"]),
        ("コーヒーを飲む", ["コー", "ーヒ", "ヒー", "ーを", "を飲", "飲む"]),
    ],
)
def test_scripts_without_spaces_become_pairs_of_letters_with_their_marks(text, found):
    assert text_terms(text) == found


def test_a_word_in_katakana_is_a_term_as_a_whole_too():
    assert "コーヒー" in terms("コーヒーを飲む", "ja")


def test_a_chinese_character_is_found_in_any_company():
    assert "猫" in terms("我的猫很可爱", "zh")


def test_a_short_korean_noun_is_found_with_any_ending():
    assert {"책"} & set(terms("책을", "ko")) & set(terms("책은", "ko"))


def test_a_word_of_another_script_has_the_stem_of_its_own_language():
    assert terms("Он починил servers вчера", "ru")[-2] == terms("server", "en")[0]


def test_a_word_typed_in_capitals_with_dots_is_the_same():
    assert terms("İZMİR", "tr") == terms("izmir", "tr")


@pytest.mark.parametrize("text", ["Что я сказал?", "我说了什么？", "ماذا قلت أنا؟", "मैंने क्या कहा?", "내가 뭐라고 했어?"])
def test_who_asks_of_themselves_is_noticed(text):
    assert speaks_of_self(text)


@given(any_text | lettered, st.sampled_from([*LANGUAGES, "xx"]))
def test_any_text_has_terms(text, spoken):
    assert all(term and surface for term, surface in analyze(text, spoken))
    assert analyze(text, spoken) == analyze(text, spoken)
    assert spoken_in([text, text], spoken)[0] in {*LANGUAGES, "xx"}


@given(any_text | lettered)
def test_a_text_is_found_by_the_same_words(text):
    spoken = text_language(text)
    asked = {stem for term in query_terms(text, [spoken]) for stem in term.stems}
    assert set(terms(text, spoken)) <= asked


@given(any_text | lettered)
def test_what_is_folded_stays_so(text):
    folded = fold(plain_letters(text).lower())
    assert fold(folded) == folded


def test_a_stack_of_marks_is_cut():
    """To bring many marks into their order takes a time that grows with the square of their number."""
    assert len(plain_letters("a" + "\u0323\u0301" * 100_000)) < 20


@pytest.fixture(scope="module")
def asked_history(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("languages")
    for name in ("zh", "ar", "es", "en"):
        texts = HISTORIES.get(name, (SENTENCES["en"], "I have looked everywhere."))
        write_chat(folder / "history" / f"{name}.json", list(texts), id=name)
    return folder


@pytest.mark.parametrize(
    ("spoken", "question", "message"),
    [("zh", "钥匙在谁那里？", 3), ("ar", "أين المفتاح؟", 3), ("es", "¿Qué canciones cantamos?", 3)],
)
def test_a_history_is_asked_in_its_language(asked_history, spoken, question, message):
    options = ["-w", str(asked_history / "workspace"), "--context-tokens", "120", "--json", "-q"]
    result = CliRunner().invoke(cli, ["ask", str(asked_history / "history"), question, *options])
    assert result.exit_code == 0, result.output
    answer = json.loads(result.stdout)
    assert answer["verdict"] != "absent"
    assert HISTORIES[spoken][message] in answer["context"]
    assert HISTORIES[spoken][message] in {item["text"] for item in answer["evidence"]}
