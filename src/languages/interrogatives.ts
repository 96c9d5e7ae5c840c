/** Kinds of answers that question words ask for. */
export type AnswerKind = 'person' | 'time' | 'place' | 'number';

/** Question words of a language by the kind of answer that they ask for. */
export type Interrogatives = Readonly<Record<AnswerKind, readonly string[]>>;

/**
 * Columns: language, person, time, place, number. Question words are a closed class of pronouns and adverbs.
 * Phrases that ask for a time with a noun, such as "what year", are included.
 */
const ROWS = `
en|who,whom,whose|when,what date,what year,which year,what day,which day,what time|where|how many,how much,how old,how long,how far,how tall,how high,how deep,how wide,how big,how large,how heavy,how fast,how often
nl|wie,wiens|wanneer,welk jaar,welke datum|waar,waarheen,waarvandaan|hoeveel,hoe lang,hoe oud,hoe groot,hoe ver,hoe vaak
fr|qui|quand,quelle année,quelle date|où,d'où|combien
de|wer,wen,wem,wessen|wann,welchem jahr,welches jahr,welchem datum|wo,woher,wohin|wie viel,wie viele,wieviel,wieviele,wie hoch,wie lange,wie alt,wie groß,wie weit,wie oft
es|quién,quiénes,quien,quienes|cuándo,cuando,qué año,que año,qué fecha,que fecha|dónde,donde,adónde,adonde|cuánto,cuánta,cuántos,cuántas,cuanto,cuanta,cuantos,cuantas
it|chi|quando,che anno,quale anno,che data|dove|quanto,quanta,quanti,quante
pt|quem|quando,que ano,que data|onde,aonde|quanto,quanta,quantos,quantas
pl|kto,kogo,komu,kim|kiedy,którym roku|gdzie,skąd,dokąd|ile,ilu
sv|vem,vems|när,vilket år,vilket datum|var,vart,varifrån|hur många,hur mycket,hur stor,hur gammal,hur lång,hur långt,hur ofta
da|hvem|hvornår,hvilket år|hvor,hvorfra|hvor mange,hvor meget,hvor gammel,hvor stor,hvor lang,hvor længe,hvor høj,hvor højt,hvor dyb,hvor ofte
no|hvem|når,hvilket år|hvor,hvorfra|hvor mange,hvor mye,hvor gammel,hvor stor,hvor lang,hvor lenge,hvor høy,hvor høyt,hvor dyp,hvor ofte
fi|kuka,ketkä,kenen,kenet|milloin,koska,minä vuonna|missä,minne,mistä|kuinka monta,kuinka paljon,montako,paljonko,kuinka monen
tr|kim,kimin,kimi,kime,kimler|ne zaman,hangi yıl,hangi yılda,hangi tarihte|nerede,nereye,nereden|kaç,kaçı,ne kadar
ro|cine,cui|când,ce an,ce dată|unde|cât,câtă,câți,câţi,câte
cs|kdo,koho,komu,kým|kdy,kterém roce|kde,kam,odkud|kolik
sk|kto,koho,komu,kým|kedy,ktorom roku|kde,kam,odkiaľ|koľko
hu|ki,kit,kinek,kik,kiket|mikor,melyik évben|hol,hová,honnan|hány,mennyi,hányan,hányszor
vi|ai|khi nào,bao giờ,năm nào,ngày nào|ở đâu,nơi nào|bao nhiêu,mấy
id|siapa|kapan,tahun berapa|di mana,dimana|berapa
ru|кто,кого,кому,кем,чей|когда,каком году,какого числа|где,куда,откуда|сколько
uk|хто,кого,кому,ким|коли,якому році|де,куди,звідки|скільки
bg|кой,кого|кога,коя година|къде|колко
sr|ко,кога,коме,ким|када,које године|где,куда,одакле|колико
el|ποιος,ποιον,ποιου,ποιοι|πότε,ποιο έτος,ποια χρονιά|πού|πόσο,πόσα,πόσοι,πόσες,πόσους,πόση
hi|कौन,किसने,किसके,किसकी,किसको|कब,किस वर्ष,किस साल|कहाँ,कहां|कितना,कितने,कितनी
he|מי|מתי,באיזו שנה|איפה,היכן|כמה
ar|من هو,من هي,من الذي|متى,أي عام|أين|كم
ja|誰,だれ|いつ,何年,何月,何日|どこ|いくつ,いくら,何人,何個,どれくらい
ko|누구,누가|언제,몇 년|어디|몇,얼마
zh|谁,誰|什么时候,何时,哪一年,哪年,几月,时间,日期,什麼時候,何時,時間|哪里,哪儿,在哪,何处,哪裡|多少,几个,几名,几人,几次,几,幾
th|ใคร|เมื่อไร,เมื่อไหร่,เมื่อใด,ปีใด,ปีไหน|ที่ไหน,ที่ใด|เท่าไร,เท่าไหร่,เท่าใด,กี่
`;

/** Question words by ISO 639-1 code. */
export const interrogatives: ReadonlyMap<string, Interrogatives> = new Map(
  ROWS.trim().split('\n').map(readRow),
);

function readRow(row: string): [string, Interrogatives] {
  const [code = '', ...columns] = row.split('|');
  const [person = [], time = [], place = [], number = []] = columns.map((column) => column.split(','));
  return [code, { person, time, place, number }];
}
