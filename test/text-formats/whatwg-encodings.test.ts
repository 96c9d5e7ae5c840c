import { describe, expect, it } from 'vitest';
import { decodeText } from '#src/text-formats/encoding.ts';
import { encode } from '#test/formats/fixtures/encode.ts';

/**
 * Paragraphs in the encodings of the WHATWG list in which their language was written. ISO-8859-16 is missing, because
 * its letters have the same bytes as older Romanian letters in ISO-8859-2.
 */
const PARAGRAPHS: [labels: string[], text: string][] = [
  [
    ['windows-874'],
    'ท่าเรือแห่งนี้เปิดให้บริการตั้งแต่เช้าตรู่ เรือประมงจะกลับเข้าฝั่งก่อนเที่ยงวัน ผู้ดูแลท่าเรือจดบันทึกระดับน้ำทุกวัน และแจ้งเตือนชาวประมงเมื่อมีพายุ หลังจากนั้นชาวบ้านจะนำปลาไปขายที่ตลาดในเมือง ซึ่งอยู่ห่างออกไปประมาณสิบกิโลเมตร',
  ],
  [
    ['windows-1257', 'iso-8859-13', 'iso-8859-4'],
    'Uosto prižiūrėtojas kiekvieną rytą užrašo vandens lygį ir įspėja žvejus, kai artėja audra. Žuvys parduodamos turguje, kuris yra už dešimties kilometrų. Vasarą čia atvyksta daug svečių, o žiemą švyturys šviečia visą naktį.',
  ],
  [
    ['windows-1257', 'iso-8859-13', 'iso-8859-4'],
    'Ostas uzraugs katru rītu pieraksta ūdens līmeni un brīdina zvejniekus, kad tuvojas vētra. Zivis pārdod tirgū, kas atrodas desmit kilometru attālumā. Vasarā šeit ierodas daudz viesu, bet ziemā bāka spīd visu nakti, lai kuģi atrastu ceļu.',
  ],
  [
    ['windows-1257', 'windows-1252'],
    'Sadamakapten märgib igal hommikul üles veetaseme ja hoiatab kalureid, kui läheneb torm. Kalad müüakse turul, mis asub kümne kilomeetri kaugusel. Suvel tuleb siia palju külalisi, aga talvel põleb tuletorn kogu öö, et laevad leiaksid tee.',
  ],
  [
    ['windows-1250', 'iso-8859-2'],
    'Správce přístavu každé ráno zapisuje výšku hladiny a varuje rybáře, když se blíží bouře. Ryby se prodávají na trhu, který leží deset kilometrů odtud. V létě sem přijíždí mnoho hostů, v zimě však maják svítí celou noc, aby lodě našly cestu.',
  ],
  [
    ['windows-1250', 'iso-8859-2'],
    'Bosman portu każdego ranka zapisuje poziom wody i ostrzega rybaków, gdy zbliża się sztorm. Ryby sprzedaje się na targu, który leży dziesięć kilometrów stąd. Latem przyjeżdża tu wielu gości, zimą zaś latarnia świeci całą noc, żeby statki znalazły drogę.',
  ],
  [
    ['windows-1250', 'iso-8859-2'],
    'A kikötőmester minden reggel feljegyzi a víz szintjét, és figyelmezteti a halászokat, ha vihar közeledik. A halat a tíz kilométerre fekvő piacon árulják. Nyáron sok vendég érkezik ide, télen azonban a világítótorony egész éjjel ég, hogy a hajók megtalálják az utat.',
  ],
  [
    ['windows-1250', 'iso-8859-2'],
    'Căpitanul portului notează în fiecare dimineaţă nivelul apei şi îi avertizează pe pescari când se apropie furtuna. Peştele se vinde la piaţa care se află la zece kilometri. Vara vin aici mulţi oaspeţi, iar iarna farul luminează toată noaptea.',
  ],
  [
    ['euc-kr'],
    '항구 관리인은 매일 아침 수위를 기록하고 폭풍이 다가오면 어부들에게 알린다. 생선은 십 킬로미터 떨어진 시장에서 팔린다. 여름에는 많은 손님이 찾아오지만 겨울에는 등대가 밤새 켜져 있어 배들이 길을 찾을 수 있다. 새로운 부두는 내년에 완공될 예정이다.',
  ],
  [
    ['gbk', 'gb18030'],
    '港口管理员每天早上记录水位，当暴风雨来临时提醒渔民。鱼在十公里外的市场上出售。夏天有很多客人来到这里，而冬天灯塔整夜亮着，让船只能够找到回家的路。新的码头预计明年完工，届时可以停靠更大的船。这座城市的人口正在慢慢增加。',
  ],
  [
    ['big5'],
    '港口管理員每天早上記錄水位，當暴風雨來臨時提醒漁民。魚在十公里外的市場上出售。夏天有很多客人來到這裡，而冬天燈塔整夜亮著，讓船隻能夠找到回家的路。新的碼頭預計明年完工，屆時可以停靠更大的船。這座城市的人口正在慢慢增加。',
  ],
  [
    ['shift_jis', 'euc-jp', 'iso-2022-jp'],
    '港の管理人は毎朝水位を記録し、嵐が近づくと漁師に知らせる。魚は十キロメートル離れた市場で売られている。夏には多くの客が訪れるが、冬は灯台が一晩中ともり、船が道を見つけられるようにしている。新しい埠頭は来年完成する予定である。',
  ],
  [
    ['windows-1251', 'koi8-r', 'iso-8859-5', 'ibm866', 'x-mac-cyrillic'],
    'Смотритель порта каждое утро записывает уровень воды и предупреждает рыбаков, когда приближается шторм. Рыбу продают на рынке, который находится в десяти километрах отсюда. Летом сюда приезжает много гостей, а зимой маяк светит всю ночь, чтобы суда нашли дорогу.',
  ],
  [
    ['windows-1251', 'koi8-u', 'x-mac-cyrillic'],
    'Доглядач порту щоранку записує рівень води й попереджає рибалок, коли наближається шторм. Рибу продають на ринку, який розташований за десять кілометрів звідси. Влітку сюди приїжджає багато гостей, а взимку маяк світить усю ніч, щоб судна знайшли шлях.',
  ],
  [
    ['windows-1253', 'iso-8859-7'],
    'Ο λιμενάρχης καταγράφει κάθε πρωί τη στάθμη του νερού και προειδοποιεί τους ψαράδες όταν πλησιάζει καταιγίδα. Τα ψάρια πωλούνται στην αγορά που βρίσκεται δέκα χιλιόμετρα μακριά. Το καλοκαίρι έρχονται πολλοί επισκέπτες, ενώ τον χειμώνα ο φάρος ανάβει όλη τη νύχτα.',
  ],
  [
    ['windows-1255'],
    'מנהל הנמל רושם בכל בוקר את מפלס המים ומזהיר את הדייגים כאשר מתקרבת סערה. הדגים נמכרים בשוק שנמצא במרחק עשרה קילומטרים. בקיץ מגיעים לכאן אורחים רבים, ובחורף המגדלור מאיר כל הלילה כדי שהספינות ימצאו את הדרך. הרציף החדש יושלם בשנה הבאה.',
  ],
  [
    ['windows-1256', 'iso-8859-6'],
    'يسجل مدير الميناء منسوب المياه كل صباح ويحذر الصيادين عندما تقترب العاصفة. تباع الأسماك في السوق الذي يقع على بعد عشرة كيلومترات. في الصيف يأتي إلى هنا ضيوف كثيرون، أما في الشتاء فتضيء المنارة طوال الليل حتى تجد السفن طريقها.',
  ],
  [
    ['windows-1254'],
    'Liman sorumlusu her sabah su seviyesini yazar ve fırtına yaklaştığında balıkçıları uyarır. Balıklar on kilometre uzaktaki pazarda satılır. Yazın buraya çok sayıda misafir gelir, kışın ise gemiler yolunu bulsun diye deniz feneri bütün gece yanar. Yeni iskele gelecek yıl tamamlanacak.',
  ],
  [
    ['windows-1258'],
    'Người quản lý bến cảng ghi lại mực nước mỗi buổi sáng và báo cho ngư dân khi có bão. Cá được bán ở chợ cách đây mười cây số. Mùa hè có nhiều khách đến đây, còn mùa đông ngọn hải đăng sáng suốt đêm để tàu thuyền tìm được đường về. Bến tàu mới sẽ hoàn thành vào năm sau.',
  ],
  [
    ['windows-1252', 'macintosh'],
    'Der Hafenmeister schreibt jeden Morgen den Wasserstand auf und warnt die Fischer, wenn ein Sturm näher kommt. Die Fische werden auf dem Markt verkauft, der zehn Kilometer entfernt ist. Im Sommer kommen viele Gäste, im Winter brennt der Leuchtturm die ganze Nacht für die Schiffe. Größere Kähne müssen außen am Damm anlegen.',
  ],
  [
    ['windows-1252', 'iso-8859-15', 'macintosh'],
    'Le capitaine du port note chaque matin la hauteur de l’eau et prévient les pêcheurs dès qu’une tempête approche. Le poisson est vendu au marché, situé à dix kilomètres. L’été, beaucoup de visiteurs arrivent ici ; l’hiver, le phare éclaire la baie toute la nuit.',
  ],
  [
    ['windows-1252', 'macintosh'],
    'Hamnkaptenen antecknar vattenståndet varje morgon och varnar fiskarna när en storm närmar sig. Fisken säljs på torget som ligger tio kilometer härifrån. På sommaren kommer många gäster hit, men på vintern lyser fyren hela natten så att båtarna hittar vägen.',
  ],
  [
    ['iso-8859-3'],
    'Il-kaptan tal-port jikteb il-livell tal-ilma kull filgħodu u jwissi lis-sajjieda meta tkun ġejja maltempata. Il-ħut jinbiegħ fis-suq li jinsab għaxar kilometri ’l bogħod. Fis-sajf jiġu ħafna viżitaturi, iżda fix-xitwa l-fanal jixgħel il-lejl kollu.',
  ],
];

/** Removes differences that two encodings of the same letters have, such as typographic quotation marks. */
const encodeWhole = (label: string, text: string) => {
  const bytes = encode(label, label === 'windows-1258' ? separateTones(text) : text);
  return { bytes, text: new TextDecoder(label).decode(bytes) };
};

/** Writes Vietnamese with the tone after the letter, because the encoding has no letters with both marks. */
const separateTones = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/([A-Za-z])(\u0323?)([\u0302\u0306\u031b])/g, '$1$3$2')
    .replace(/[A-Za-z][\u0302\u0306\u031b]/g, (letter) => letter.normalize('NFC'));

describe('a paragraph without declared encoding', () => {
  it.each(PARAGRAPHS.flatMap(([labels, text]) => labels.map((label): [string, string] => [label, text])))(
    'is decoded from %s: %s',
    (label, paragraph) => {
      const { bytes, text } = encodeWhole(label, paragraph);
      expect(bytes.length).toBeGreaterThan(190);
      expect(decodeText(bytes).text).toBe(text);
    },
  );
});
