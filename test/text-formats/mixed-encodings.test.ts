import { describe, expect, it } from 'vitest';
import { decodeText } from '#src/text-formats/encoding.ts';
import { encode } from '#test/formats/fixtures/encode.ts';

interface Texts {
  labels: string[];
  /** Lines of dialogue. */
  speech: string[];
  /** Rows of a table with a heading row. */
  rows: string[];
  /** Comments in program code, if the texts have any. */
  comments: string[];
}

/** Texts that consist of ASCII characters to a large part: subtitles, tables and program code. */
const TEXTS: Record<string, Texts> = {
  Thai: {
    labels: ['windows-874'],
    speech: [
      'คุณมาทำอะไรที่นี่',
      'ฉันรอเธอมาสามชั่วโมงแล้ว',
      'ขอโทษ รถติดมากจริงๆ',
      'ไม่เป็นไร เราไปกินข้าวกันเถอะ',
      'คืนนี้อากาศเย็นดีนะ',
      'ใช่ แต่พรุ่งนี้ฝนจะตก',
      'งั้นเอาร่มไปด้วย',
    ],
    rows: [
      'รหัส,ชื่อสินค้า,จำนวน,ราคา',
      '1,ข้าวหอมมะลิ,20,350',
      '2,น้ำปลาแท้,12,45',
      '3,กะทิกล่อง,30,28',
      '4,พริกแห้ง,8,60',
      '5,น้ำตาลปี๊บ,15,55',
      '6,มะนาว,100,4',
      '7,กระเทียม,25,90',
      '8,หอมแดง,14,70',
    ],
    comments: [
      'คำนวณราคารวมของสินค้าทั้งหมดในตะกร้า',
      'ผลรวมเริ่มต้น',
      'วนรอบทุกรายการและบวกเข้าไปในผลรวม',
      'ส่งค่ากลับไปให้ผู้เรียก',
      'ฟังก์ชันนี้ไม่ตรวจสอบค่าติดลบ ควรแก้ไขภายหลัง',
    ],
  },
  Lithuanian: {
    labels: ['windows-1257', 'iso-8859-13'],
    speech: [
      'Ką tu čia veiki?',
      'Laukiu tavęs jau tris valandas.',
      'Atleisk, gatvėse buvo daug mašinų.',
      'Nieko tokio, eime valgyti.',
      'Šį vakarą gražus oras.',
      'Taip, bet rytoj lis.',
      'Žiūrėk, kas ten ateina!',
    ],
    rows: [
      'Nr.;Prekė;Kiekis;Kaina',
      '1;Juoda duona;20;1,35',
      '2;Grietinė;12;0,95',
      '3;Sūris džiovintas;5;4,20',
      '4;Obuolių sultys;30;1,10',
      '5;Česnakas;8;0,60',
      '6;Žuvų konservai;15;2,55',
      '7;Šaltibarščiai;9;1,80',
      '8;Bulvių košė;11;1,25',
    ],
    comments: [
      'Apskaičiuoja visų krepšelio prekių kainą',
      'pradinė reikšmė',
      'pereiname per visus įrašus ir pridedame prie sumos',
      'grąžina sumą kviečiančiajam',
    ],
  },
  Latvian: {
    labels: ['windows-1257', 'iso-8859-13'],
    speech: [
      'Ko tu šeit dari?',
      'Es tevi gaidu jau trīs stundas.',
      'Piedod, ielās bija daudz mašīnu.',
      'Nekas, ejam ēst.',
      'Šovakar ir jauks laiks.',
      'Jā, bet rīt līs.',
      'Skaties, kas tur nāk!',
      'Tas ir mans vecākais brālis.',
    ],
    rows: [
      'Nr.;Prece;Skaits;Cena',
      '1;Rupjmaize;20;1,35',
      '2;Skābs krējums;12;0,95',
      '3;Žāvēts siers;5;4,20',
      '4;Ābolu sula;30;1,10',
      '5;Ķiploki;8;0,60',
      '6;Zivju konservi;15;2,55',
      '7;Aukstā zupa;9;1,80',
      '8;Kartupeļu biezenis;11;1,25',
      '9;Šķiņķis;4;6,40',
    ],
    comments: [
      'Aprēķina visu groza preču kopējo cenu',
      'sākuma vērtība',
      'izejam cauri visiem ierakstiem un pieskaitām summai',
      'atgriež summu izsaucējam',
    ],
  },
  Czech: {
    labels: ['windows-1250', 'iso-8859-2'],
    speech: [
      'Co tady děláš?',
      'Čekám na tebe už tři hodiny.',
      'Promiň, ulice byly plné aut.',
      'To nevadí, pojďme se najíst.',
      'Dnes večer je hezky.',
      'Ano, ale zítra bude pršet.',
      'Tak si vezmi deštník.',
      'Kdo to tam přichází?',
    ],
    rows: [
      'Č.;Zboží;Množství;Cena',
      '1;Žitný chléb;20;35',
      '2;Kysaná smetana;12;19',
      '3;Uzený sýr;5;84',
      '4;Jablečný džus;30;22',
      '5;Česnek;8;12',
      '6;Rybičky v oleji;15;51',
      '7;Svíčková omáčka;9;36',
      '8;Houskový knedlík;11;25',
    ],
    comments: [
      'Spočítá celkovou cenu zboží v košíku',
      'počáteční hodnota',
      'projdeme všechny položky a přičteme je k součtu',
      'vrátí součet volajícímu',
    ],
  },
  Polish: {
    labels: ['windows-1250', 'iso-8859-2'],
    speech: [
      'Co tu robisz?',
      'Czekam na ciebie od trzech godzin.',
      'Przepraszam, na ulicach były korki.',
      'Nic się nie stało, chodźmy coś zjeść.',
      'Dziś wieczorem jest ładnie.',
      'Tak, ale jutro będzie padać.',
      'Weź więc parasol.',
      'Kto tam idzie?',
    ],
    rows: [
      'Lp.;Towar;Ilość;Cena',
      '1;Chleb żytni;20;4,35',
      '2;Śmietana;12;2,95',
      '3;Ser wędzony;5;14,20',
      '4;Sok jabłkowy;30;3,10',
      '5;Czosnek;8;1,60',
      '6;Śledź w oleju;15;7,55',
      '7;Żurek;9;5,80',
      '8;Gołąbki;11;8,25',
      '9;Pączki z różą;24;2,50',
    ],
    comments: [
      'Oblicza łączną cenę towarów w koszyku',
      'wartość początkowa',
      'przechodzimy przez wszystkie pozycje i dodajemy je do sumy',
      'zwraca sumę',
    ],
  },
  Korean: {
    labels: ['euc-kr'],
    speech: [
      '여기서 뭐 해?',
      '벌써 세 시간이나 기다렸어.',
      '미안해, 길이 너무 막혔어.',
      '괜찮아, 밥 먹으러 가자.',
      '오늘 밤은 날씨가 좋네.',
      '응, 그런데 내일은 비가 온대.',
      '그럼 우산을 가져가.',
      '저기 누가 오는 거야?',
    ],
    rows: [
      '번호,상품,수량,가격',
      '1,현미쌀,20,35000',
      '2,고추장,12,9500',
      '3,참기름,5,14200',
      '4,사과주스,30,3100',
      '5,마늘,8,6000',
      '6,참치통조림,15,2550',
      '7,된장찌개,9,8000',
      '8,감자샐러드,11,4250',
      '9,떡볶이,7,5500',
      '10,김치만두,18,7200',
    ],
    comments: [
      '장바구니에 담긴 상품의 총액을 계산한다',
      '합계의 초기값',
      '모든 항목을 돌면서 합계에 더한다',
      '호출한 쪽에 합계를 돌려준다',
      '음수 값은 검사하지 않으므로 나중에 고쳐야 한다',
    ],
  },
  'simplified Chinese': {
    labels: ['gb18030'],
    speech: [
      '你在这里做什么？',
      '我已经等了你三个小时。',
      '对不起，路上堵车了。',
      '没关系，我们去吃饭吧。',
      '今天晚上天气很好。',
      '是的，可是明天会下雨。',
      '那就带上雨伞。',
      '那边是谁来了？',
      '也许是我弟弟。',
    ],
    rows: [
      '编号,商品,数量,价格',
      '1,大米,20,35',
      '2,酱油,12,9',
      '3,芝麻油,5,42',
      '4,苹果汁,30,10',
      '5,大蒜,8,6',
      '6,鱼罐头,15,25',
      '7,豆腐汤,9,18',
      '8,土豆泥,11,12',
      '9,红烧牛肉面,7,28',
      '10,饺子,18,22',
      '11,白菜,40,3',
      '12,鸡蛋,60,1',
      '13,花生油,6,58',
      '14,绿茶,10,66',
      '15,冰糖,5,14',
      '16,辣椒酱,9,13',
    ],
    comments: [
      '计算购物车中所有商品的总价',
      '初始值',
      '遍历所有条目并累加到总和',
      '把结果返回给调用者',
      '这个函数没有检查负数，以后需要修改',
    ],
  },
  'traditional Chinese': {
    labels: ['big5'],
    speech: [
      '你在這裡做什麼？',
      '我已經等了你三個小時。',
      '對不起，路上塞車了。',
      '沒關係，我們去吃飯吧。',
      '今天晚上天氣很好。',
      '是的，可是明天會下雨。',
      '那就帶上雨傘。',
      '那邊是誰來了？',
      '也許是我弟弟。',
    ],
    rows: [
      '編號,商品,數量,價格',
      '1,白米,20,35',
      '2,醬油,12,9',
      '3,芝麻油,5,42',
      '4,蘋果汁,30,10',
      '5,大蒜,8,6',
      '6,魚罐頭,15,25',
      '7,豆腐湯,9,18',
      '8,馬鈴薯泥,11,12',
      '9,紅燒牛肉麵,7,28',
      '10,水餃,18,22',
      '11,白菜,40,3',
      '12,雞蛋,60,1',
      '13,花生油,6,58',
      '14,綠茶,10,66',
      '15,冰糖,5,14',
      '16,辣椒醬,9,13',
    ],
    comments: [
      '計算購物車中所有商品的總價',
      '初始值',
      '走訪所有項目並累加到總和',
      '把結果傳回給呼叫者',
      '這個函式沒有檢查負數，以後需要修改',
    ],
  },
  Japanese: {
    labels: ['shift_jis', 'euc-jp', 'iso-2022-jp'],
    speech: [
      'ここで何をしているの？',
      'もう三時間も待っていたんだよ。',
      'ごめん、道がすごく混んでいて。',
      '大丈夫、ご飯を食べに行こう。',
      '今夜はいい天気だね。',
      'うん、でも明日は雨だって。',
      'じゃあ傘を持っていこう。',
      'あそこに来るのは誰？',
    ],
    rows: [
      '番号,商品,数量,価格',
      '1,玄米,20,3500',
      '2,しょうゆ,12,450',
      '3,ごま油,5,620',
      '4,りんごジュース,30,110',
      '5,にんにく,8,160',
      '6,ツナ缶,15,255',
      '7,みそ汁,9,180',
      '8,ポテトサラダ,11,325',
      '9,カレーライス,7,780',
      '10,ぎょうざ,18,420',
      '11,キャベツ,6,198',
    ],
    comments: [
      '買い物かごの合計金額を計算する',
      '初期値',
      'すべての項目を調べて合計に加える',
      '呼び出し元に合計を返す',
      '負の値は確認していないので、あとで直すこと',
    ],
  },
  Russian: {
    labels: ['windows-1251', 'koi8-r', 'iso-8859-5', 'ibm866', 'x-mac-cyrillic'],
    speech: [
      'Что ты здесь делаешь?',
      'Я жду тебя уже три часа.',
      'Извини, на улицах были пробки.',
      'Ничего, пойдём поедим.',
      'Сегодня вечером хорошая погода.',
      'Да, но завтра будет дождь.',
      'Тогда возьми зонт.',
      'Кто там идёт?',
    ],
    rows: [
      'Ном.;Товар;Количество;Цена',
      '1;Ржаной хлеб;20;35',
      '2;Сметана;12;95',
      '3;Копчёный сыр;5;420',
      '4;Яблочный сок;30;110',
      '5;Чеснок;8;60',
      '6;Шпроты в масле;15;255',
      '7;Окрошка;9;180',
      '8;Картофельное пюре;11;125',
      '9;Вареники с вишней;7;240',
    ],
    comments: [
      'Вычисляет общую стоимость товаров в корзине',
      'начальное значение',
      'проходим по всем записям и прибавляем к сумме',
      'возвращает сумму',
    ],
  },
};

const padNumber = (value: number) => String(value).padStart(2, '0');
const writeSubtitles = (lines: string[]) =>
  lines
    .map(
      (line, at) =>
        `${at + 1}\r\n00:00:${padNumber(at * 4)},120 --> 00:00:${padNumber(at * 4 + 3)},800\r\n${line}\r\n`,
    )
    .join('\r\n');
const writeTable = (rows: string[]) => `${rows.join('\r\n')}\r\n`;
const writeCode = ([first, ...others]: string[]) =>
  `// ${first}\nint total(int *p, int n) {\n  int sum = 0;\n${others
    .map((comment, at) => `  /* ${comment} */\n  for (int i = ${at}; i < n; i++) sum += p[i];\n`)
    .join('')}  return sum;\n}\n`;

const CASES = Object.entries(TEXTS).flatMap(([language, { labels, speech, rows, comments }]) => {
  const kinds = {
    subtitles: writeSubtitles(speech),
    table: writeTable(rows),
    ...(comments.length > 0 && { code: writeCode(comments) }),
  };
  return labels.flatMap((label) =>
    Object.entries(kinds).map(([kind, text]) => [language, kind, label, text] as const),
  );
});

describe('text between ASCII characters without declared encoding', () => {
  it.each(CASES)('is decoded: %s %s in %s', (_language, _kind, label, text) => {
    const bytes = encode(label, text);
    expect(bytes.length).toBeGreaterThan(170);
    expect(decodeText(bytes).text).toBe(text);
  });
});
