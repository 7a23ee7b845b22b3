"""The words for times in each language: tables only.

`|` stands between meanings in a fixed order (January to December, Monday to Sunday, spring to winter, day to decade, 1
upwards), `,` between words of one meaning, `=` behind the meaning where the order isn't fixed. A blank joins the words
of a phrase. All is lower-case.
"""

from __future__ import annotations

TABLES: dict[str, dict[str, str]] = {
    "en": {
        "month": """january|february|march|april|may|june|july|august|september|october|november|december""",
        "short month": "jan|feb|mar|apr||jun|jul|aug|sep,sept|oct|nov|dec",
        "weekday": "monday,mondays|tuesday|wednesday|thursday|friday|saturday|sunday,sundays",
        "short weekday": "mon|tue,tues|wed|thu,thur,thurs|fri|sat|sun",
        "season": "spring,springtime|summer,summertime|autumn,fall|winter,wintertime",
        "unit": "day,days|week,weeks|weekend,weekends|month,months|quarter,quarters|year,years|decade,decades",
        "number": "a,an,one|two,couple,couple of|three|four|five|six|seven|eight|nine|ten|eleven|twelve",
        "vague": "2 5=few|3 7=several",
        "nth": "1=first,1st|2=second,2nd|3=third,3rd|4=fourth,4th|5=fifth,5th|-1=last,final",
        "today": """-2=day before yesterday|-1=yesterday,last night|0=today,tonight,this morning,this afternoon,
            this evening|1=tomorrow|2=day after tomorrow""",
        "which": "-1=last,previous|0=this,current|1=next,coming,upcoming",
        "trailing": "past,in the last,over the last,within the last,during the last,for the last",
        "ago after": "ago,back",
        "since": "since",
        "until": "until,till,up to,up until,by,no later than",
        "before": "before,prior to,earlier than",
        "after": "after,later than",
        "from": "from",
        "to": "to,until,till,through",
        "between": "between",
        "and": "and",
        "in": "in,on,during,at,over,around,about,throughout,within,as of",
        "part": """early=early,early in,beginning of,start of,at the beginning of,at the start of|mid=mid,middle of|
            late=late,late in,end of,by the end of""",
        "of": "of,the,in",
        "later": "later,afterwards",
        "earlier": "earlier,beforehand",
        "half": "half",
        "decade": "1960=sixties|1970=seventies|1980=eighties|1990=nineties",
        "holiday": """christmas=christmas,xmas,christmas time|christmas eve=christmas eve|christmas day=christmas day|
            new year=new year,new years,new year's,new year’s|
            new year's eve=new year's eve,new years eve,new year’s eve|
            new year's day=new year's day,new years day,new year’s day|
            easter=easter|halloween=halloween|thanksgiving=thanksgiving|
            valentine's day=valentine's day,valentine’s day,valentines day|
            holidays=over the holidays,during the holidays,the last holidays""",
        "also other words": "may march mar jan sun sat mon wed fri dec jun spring fall second past back",
    },
    "de": {
        "month": """januar,jänner|februar,feber|märz|april|mai|juni|juli|august|september|oktober|november|dezember""",
        "short month": "jan|feb|mär|apr||jun|jul|aug|sep,sept|okt|nov|dez",
        "weekday": """montag,montags|dienstag,dienstags|mittwoch,mittwochs|donnerstag,donnerstags|freitag,freitags|
            samstag,samstags,sonnabend|sonntag,sonntags""",
        "season": "frühling,frühjahr|sommer|herbst|winter",
        "unit": """tag,tage,tagen|woche,wochen|wochenende|monat,monate,monaten,monats|quartal|jahr,jahre,jahren,jahres|
            jahrzehnt""",
        "number": """ein,eine,einem,einer,einen|zwei,ein paar|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf""",
        "vague": "2 5=einigen,wenigen|3 7=mehreren",
        "today": "-2=vorgestern|-1=gestern|0=heute|1=morgen|2=übermorgen",
        "which": """-1=letzte,letzten,letzter,letztes,letztem,vorige,vorigen,voriger,voriges,vergangene,vergangenen,
            vergangener,vergangenes|0=diese,diesen,dieser,dieses,diesem|
            1=nächste,nächsten,nächster,nächstes,kommende,kommenden,kommendes""",
        "ago before": "vor",
        "since": "seit",
        "until": "bis",
        "before": "vor",
        "after": "nach",
        "from": "vom,von,ab",
        "to": "bis",
        "between": "zwischen",
        "and": "und",
        "in": "im,in,am,um,während,gegen",
        "part": "early=anfang,beginn|mid=mitte|late=ende",
        "of": "des,der,dem,den",
        "holiday": """christmas=weihnachten|christmas eve=heiligabend|new year=neujahr|new year's eve=silvester|
            easter=ostern""",
        "also other words": "mai morgen",
    },
    "fr": {
        "month": "janvier|février,fevrier|mars|avril|mai|juin|juillet|août,aout|septembre|octobre|novembre|décembre",
        "short month": "janv|févr|||||juil||sept|||déc",
        "weekday": "lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche",
        "season": "printemps|été|automne|hiver",
        "unit": "jour,jours|semaine,semaines|week - end,weekend|mois|trimestre|an,ans,année,années|décennie",
        "number": "un,une|deux|trois|quatre|cinq|six|sept|huit|neuf|dix|onze|douze",
        "vague": "2 5=quelques|3 7=plusieurs",
        "today": "-2=avant - hier,avant hier|-1=hier|0=aujourd ' hui,aujourd ’ hui|1=demain|2=après - demain",
        "which": "-1=dernier,dernière,derniers,dernières|0=ce,cet,cette|1=prochain,prochaine",
        "which after": """-1=dernier,dernière,derniers,dernières,passé,passée,précédent,précédente|
            1=prochain,prochaine""",
        "ago before": "il y a,y a",
        "since": "depuis",
        "until": "jusqu ' en,jusqu ' au,jusqu ' à,jusqu ’ en,jusqu ’ au,jusqu ’ à",
        "before": "avant",
        "after": "après",
        "from": "du,de",
        "to": "au,à",
        "between": "entre",
        "and": "et",
        "in": "en,au,le,vers,pendant,l ',l ’",
        "part": "early=début|mid=mi -,milieu|late=fin",
        "of": "de,d ',d ’,du,le,la,l ',l ’",
        "day mark": "er",
        "holiday": "christmas=noël|easter=pâques|new year=nouvel an",
        "also other words": "mars mai été",
    },
    "es": {
        "month": """enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre,setiembre|octubre|noviembre|
            diciembre""",
        "short month": "ene|||abr||||||||dic",
        "weekday": "lunes|martes|miércoles,miercoles|jueves|viernes|sábado,sabado|domingo",
        "season": "primavera|verano|otoño|invierno",
        "unit": "día,días,dia,dias|semana,semanas|fin de semana|mes,meses|trimestre|año,años|década",
        "number": "un,una|dos,un par de|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce",
        "vague": "2 5=unos,unas,pocos,pocas|3 7=varios,varias",
        "today": "-2=anteayer,antes de ayer|-1=ayer,anoche|0=hoy|1=mañana|2=pasado mañana",
        "which": """-1=último,última,últimos,últimas,pasado,pasada|0=este,esta|1=próximo,próxima""",
        "which after": "-1=pasado,pasada,pasados,pasadas|1=próximo,próxima,que viene",
        "ago before": "hace",
        "ago after": "atrás",
        "since": "desde",
        "until": "hasta",
        "before": "antes de,antes del",
        "after": "después de,después del",
        "from": "del,de,desde",
        "to": "al,a,hasta",
        "between": "entre",
        "and": "y",
        "in": "en,el,durante,hacia",
        "part": "early=a principios,principios|mid=a mediados,mediados|late=a finales,finales",
        "of": "de,del,el,la",
        "holiday": "christmas=navidad,navidades|easter=semana santa|new year=año nuevo|new year's eve=nochevieja",
        "also other words": "mayo mañana julio",
    },
    "it": {
        "month": """gennaio|febbraio|marzo|aprile|maggio|giugno|luglio|agosto|settembre|ottobre|novembre|dicembre""",
        "short month": "gen|feb|||mag|giu|lug|||ott|nov|dic",
        "weekday": """lunedì,lunedi|martedì,martedi|mercoledì,mercoledi|giovedì,giovedi|venerdì,venerdi|sabato|
            domenica""",
        "season": "primavera|estate|autunno|inverno",
        "unit": "giorno,giorni|settimana,settimane|fine settimana,weekend|mese,mesi|trimestre|anno,anni|decennio",
        "number": "un,uno,una|due,un paio di|tre|quattro|cinque|sei|sette|otto|nove|dieci|undici|dodici",
        "vague": "2 5=pochi,poche|3 7=diversi,diverse",
        "today": "-2=l ' altro ieri,l ’ altro ieri,altro ieri|-1=ieri|0=oggi|1=domani|2=dopodomani",
        "which": """-1=scorso,scorsa,scorsi,scorse,ultimo,ultima,ultimi,ultime|0=questo,questa,quest '|
            1=prossimo,prossima""",
        "which after": "-1=scorso,scorsa,passato,passata|1=prossimo,prossima",
        "ago after": "fa",
        "since": "da,dal,dall '",
        "until": "fino a,fino al",
        "before": "prima di,prima del",
        "after": "dopo,dopo il",
        "from": "dal,da",
        "to": "al,a",
        "between": "tra,fra",
        "and": "e",
        "in": "in,nel,a,ad,il,durante,verso",
        "part": "early=inizio,all ' inizio|mid=metà|late=fine",
        "of": "di,del,dell ',dell ’,il",
        "day mark": "° º",
        "holiday": "christmas=natale|easter=pasqua|new year=capodanno",
        "also other words": "estate",
    },
    "pt": {
        "month": "janeiro|fevereiro|março|abril|maio|junho|julho|agosto|setembro|outubro|novembro|dezembro",
        "short month": "jan|fev||abr|||||||nov|dez",
        "weekday": """segunda - feira,segunda feira|terça - feira,terça feira|quarta - feira,quarta feira|
            quinta - feira,quinta feira|sexta - feira,sexta feira|sábado|domingo""",
        "season": "primavera|verão|outono|inverno",
        "unit": "dia,dias|semana,semanas|fim de semana|mês,meses|trimestre|ano,anos|década",
        "number": "um,uma|dois,duas,um par de|três|quatro|cinco|seis|sete|oito|nove|dez|onze|doze",
        "vague": "2 5=poucos,poucas,alguns,algumas|3 7=vários,várias",
        "today": "-2=anteontem|-1=ontem|0=hoje|1=amanhã|2=depois de amanhã",
        "which": "-1=último,última,últimos,últimas,passado,passada|0=este,esta,neste,nesta|1=próximo,próxima",
        "which after": "-1=passado,passada,passados,passadas|1=próximo,próxima,que vem",
        "ago before": "há,faz",
        "ago after": "atrás",
        "since": "desde",
        "until": "até",
        "before": "antes de,antes do",
        "after": "depois de,depois do,após",
        "from": "de,do",
        "to": "a,ao,até",
        "between": "entre",
        "and": "e",
        "in": "em,no,na,o,durante",
        "part": "early=início,começo|mid=meados|late=final,fim",
        "of": "de,do,da",
        "day mark": "° º",
        "holiday": "christmas=natal|easter=páscoa|new year=ano novo|new year's eve=réveillon",
        "also other words": "natal",
    },
    "nl": {
        "month": "januari|februari|maart|april|mei|juni|juli|augustus|september|oktober|november|december",
        "short month": "jan|feb|mrt|apr||jun|jul|aug|sep,sept|okt|nov|dec",
        "weekday": "maandag|dinsdag|woensdag|donderdag|vrijdag|zaterdag|zondag",
        "season": "lente,voorjaar|zomer|herfst,najaar|winter",
        "unit": "dag,dagen|week,weken|weekend,weekeinde|maand,maanden|kwartaal|jaar,jaren|decennium",
        "number": "een,één|twee,een paar,paar|drie|vier|vijf|zes|zeven|acht|negen|tien|elf|twaalf",
        "vague": "2 5=enkele|3 7=meerdere",
        "today": "-2=eergisteren|-1=gisteren|0=vandaag|1=morgen|2=overmorgen",
        "which": "-1=vorige,vorig,laatste,afgelopen|0=deze,dit|1=volgende,volgend,komende,komend",
        "ago after": "geleden",
        "since": "sinds,vanaf",
        "until": "tot",
        "before": "voor",
        "after": "na",
        "from": "van,vanaf",
        "to": "tot",
        "between": "tussen",
        "and": "en",
        "in": "in,op,tijdens,rond",
        "part": "early=begin|mid=midden,half|late=eind,einde",
        "of": "van,de,het",
        "holiday": "christmas=kerst,kerstmis|easter=pasen|new year=nieuwjaar",
        "also other words": "morgen",
    },
    "ru": {
        "month": """январь,января,январе|февраль,февраля,феврале|март,марта,марте|апрель,апреля,апреле|май,мая,мае|
            июнь,июня,июне|июль,июля,июле|август,августа,августе|сентябрь,сентября,сентябре|
            октябрь,октября,октябре|ноябрь,ноября,ноябре|декабрь,декабря,декабре""",
        "short month": "янв|фев|мар|апр||||авг|сен|окт|ноя|дек",
        "weekday": """понедельник,понедельника|вторник,вторника|среда,среду,среды|четверг,четверга|
            пятница,пятницу,пятницы|суббота,субботу,субботы|воскресенье,воскресенья""",
        "season": "весна,весной,весну,весны|лето,летом,лета|осень,осенью,осени|зима,зимой,зиму,зимы",
        "unit": """день,дня,дней|неделя,неделю,недели,недель,неделе|выходные,выходных|
            месяц,месяца,месяцев,месяце|квартал,квартале|год,года,году,лет|десятилетие""",
        "number": """один,одну,одна|два,две,пару,пара|три|четыре|пять|шесть|семь|восемь|девять|десять|одиннадцать|
            двенадцать""",
        "vague": "2 5=несколько",
        "today": "-2=позавчера|-1=вчера|0=сегодня|1=завтра|2=послезавтра",
        "which": """-1=прошлый,прошлого,прошлую,прошлой,прошлом,прошлым,прошлые,последние,последних,последнюю,последний|
            0=этот,этого,эту,этой,этом,этим,эти|1=следующий,следующего,следующую,следующей,следующем,следующим""",
        "ago after": "назад,тому назад",
        "since": "с,со",
        "until": "до",
        "before": "до",
        "after": "после",
        "from": "с,со",
        "to": "по,до",
        "between": "между",
        "and": "и",
        "in": "в,во,на,за",
        "part": "early=начале,начало|mid=середине|late=конце,конец",
        "of": "",
        "year word": "год,года,году,г",
        "holiday": "new year=новый год|easter=пасха,пасху",
        "also other words": "среда среды май",
    },
}

NUMBERED_THINGS = frozenset(
    """room port page pages line lines version issue ticket number no code error chapter flight bus train model gate
    build pr commit id suite apartment unit size seite zimmer port página pagina chambre stanza комната порт""".split()
)
"""Before a number that looks like a year: then it is a name, not a year."""

COUNTED_THINGS = frozenset(
    """people persons dollars euros pounds euro usd eur words tokens bytes kb mb gb km miles meters metres feet lines
    calories kcal steps percent px pixels mg kg ml times items users files rows points copies square hours minutes
    seconds ms x euros mètres personnes menschen leute personas persone pessoas mensen людей рублей""".split()
)
"""Behind a number that looks like a year: then it is an amount."""
