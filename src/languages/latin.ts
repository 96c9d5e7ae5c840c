import { defineLanguages } from './define.ts';

/** Languages in Latin script. They are distinguished by common words and a few letters. */
export const latinLanguages = defineLanguages({
  en: {
    commonWords:
      'the of and to in is that for it as was with be by on not he his are this at from or have an they which you were her all their has would will what there can who been more if out so we',
    conjunctions: 'and or but so then also plus',
    pronouns: 'it its he him his she her hers they them their theirs this that these those',
    followUp: /^(?:what|how) about/iu,
    noAnswer: 'Nothing in the documents was found that answers this question.',
  },
  nl: {
    commonWords:
      'de het een van en in is dat op te voor met zijn niet aan er om ook als dan maar bij nog uit naar door over heeft worden wordt deze dit wat was werd hij zij geen meer hebben kan tot wij je ik of zal onze',
    letters: /ij|aa|oe/g,
    conjunctions: 'en of maar dus dan ook',
    pronouns: 'hem hij ze haar hen hun deze dit die ervan daarvan',
    followUp: /^hoe zit het met/iu,
    noAnswer: 'In de documenten is niets gevonden dat deze vraag beantwoordt.',
  },
  fr: {
    commonWords:
      'le la les des et est une un du dans que pour qui sur pas plus par avec au ce sont il ne se aux cette elle nous vous mais ou leur été être ont ses comme tout fait à d l qu n’ l’ d’ où très',
    letters: /[œèê]|ç|eux\b/g,
    conjunctions: 'et ou mais donc alors aussi puis',
    pronouns: 'elle ils elles lui leur leurs sa ses cela ça celui celle ceux celles cette ces',
    followUp: /^qu['’]en est-il/iu,
    noAnswer: "Rien dans les documents n'a été trouvé qui réponde à cette question.",
  },
  de: {
    commonWords:
      'der die das und ist nicht ein eine zu den von mit sich des auf für im dem auch als an es wird sind aus bei nach werden einer hat um noch wie einem über einen so zum war haben oder durch kann ich wir nur',
    letters: /[ßäü]|sch/g,
    conjunctions: 'und oder aber also dann auch',
    pronouns:
      'er sie ihn ihm ihr ihre ihren ihrer sein seine seinen seiner deren dessen dieser diese dieses diesen dort davon darin damit dazu',
    followUp: /^(?:was ist mit|wie (?:steht|sieht) es mit)/iu,
    noAnswer: 'In den Dokumenten wurde nichts gefunden, was diese Frage beantwortet.',
  },
  es: {
    commonWords:
      'el la los las de que y en un una por con para es se del no al lo como más pero sus su ha fue está son este entre también hasta donde desde muy sin sobre ser nos hay cuando todo esta ya o años',
    letters: /[ñ¿¡]|ción/g,
    conjunctions: 'y e o pero entonces también',
    pronouns: 'él ella ellos ellas su sus este esta estos estas ese esa eso esto allí',
    followUp: /^qué hay d/iu,
    noAnswer: 'No se encontró en los documentos nada que responda a esta pregunta.',
  },
  it: {
    commonWords:
      'il la di che e un una per non sono del della con si da dei le al nel alla più gli come anche ma lo questo ha delle è dal sua suo essere i in ed ai o degli nella perché loro stato tra se ci quando',
    letters: /zione|gli\b|[ìò]/g,
    conjunctions: 'e ed o ma allora anche poi',
    pronouns:
      'lui lei loro esso essa essi esse suo sua suoi sue questo questa questi queste quello quella ciò ne',
    followUp: /^che dire d/iu,
    noAnswer: 'Nei documenti non è stato trovato nulla che risponda a questa domanda.',
  },
  pt: {
    commonWords:
      'o a os as de que e em um uma para com não do da dos das no na por mais se ao como foi mas é são pelo pela seu sua ou ser também até isso há está nos já quando muito sobre entre você ele nas tem',
    letters: /[ãõ]|ção|lh/g,
    conjunctions: 'e ou mas então também',
    pronouns:
      'ele ela eles elas seu sua seus suas dele dela deles delas isto isso este esta esse essa aquele aquela lá',
    noAnswer: 'Não foi encontrado nos documentos nada que responda a esta pergunta.',
  },
  pl: {
    commonWords:
      'i w na z do nie się że jest to o jak po co ale przez dla od za są tak tego czy jego był być może jej które który przy oraz lub już tylko tym było ma ich przed został roku ze bardzo także',
    letters: /[łąężźśćń]|sz|cz/g,
    conjunctions: 'i a lub ale więc także',
    pronouns: 'on ona ono oni jego jej ich ten tego tej tym tam',
    noAnswer: 'W dokumentach nie znaleziono niczego, co odpowiada na to pytanie.',
  },
  sv: {
    commonWords:
      'och att det i en som är på för av med den till inte ett har de om var vi men kan från så vid eller när han jag hon då ska sig nu ut över där skulle efter också än mycket detta hade alla andra sin',
    letters: /ä|ö/g,
    conjunctions: 'och eller men så då också',
    pronouns: 'han hon dem dess hans hennes deras denna detta dessa',
    noAnswer: 'Inget i dokumenten hittades som besvarar den här frågan.',
  },
  da: {
    commonWords:
      'og at det i en er som på for af med den til ikke et har de om var vi men kan fra så ved eller når han jeg hun da skal sig nu ud over der ville efter også end meget dette havde blev bliver være noget kun af',
    letters: /æ|ø/g,
    conjunctions: 'og eller men så også',
    pronouns: 'han hun dem dens dets hans hendes deres denne dette disse',
    noAnswer: 'Der blev ikke fundet noget i dokumenterne, som besvarer dette spørgsmål.',
  },
  no: {
    commonWords:
      'og å det i en er som på for av med den til ikke et har de om var vi men kan fra så ved eller når han jeg hun da skal seg nå ut over der ville etter også enn mye dette hadde ble blir være noe bare av fra',
    letters: /æ|ø|kj/g,
    conjunctions: 'og eller men så også',
    pronouns: 'han hun dem dens dets hans hennes deres denne dette disse',
    noAnswer: 'Det ble ikke funnet noe i dokumentene som besvarer dette spørsmålet.',
  },
  fi: {
    commonWords:
      'ja on ei se että oli mutta hän ovat kun niin myös joka tai kuin ole mukaan sen jos olla vain sekä voi tämä siitä mitä nyt sitä ollut hänen vielä minä jotka ennen kanssa eli joita he sitten niitä kaikki',
    letters: /ää|yy|uu|aa|ii|kk/g,
    conjunctions: 'ja tai mutta entä entäs myös',
    pronouns: 'sen sitä siitä hän hänen niiden he heidän tämä tuo nämä nuo siellä',
    noAnswer: 'Asiakirjoista ei löytynyt mitään, mikä vastaisi tähän kysymykseen.',
  },
  tr: {
    commonWords:
      've bir bu için ile de da olarak olan çok daha en gibi kadar sonra var ne ama her değil olduğu veya o ise tarafından göre ya ki mi yıl bunu ben şey iki ilk diye nasıl bana sen büyük üzerinde yeni',
    letters: /[ışğ]|yor|[ae]r[iı]|[dt][ae]n?\b|ürü/g,
    conjunctions: 've veya ama peki ya',
    pronouns: 'o onu onun ona onlar onları onların bu bunu bunun şu orada',
    noAnswer: 'Belgelerde bu soruyu yanıtlayan bir şey bulunamadı.',
  },
  ro: {
    commonWords:
      'și de la în a cu nu este o pe un că din care mai pentru se au fost sunt prin sau să ca al ale fi dar am după lui ce acest această lor cele sa ei când între foarte ar fie unei are aceste',
    letters: /[țşţșă]/g,
    conjunctions: 'și sau dar deci atunci',
    pronouns: 'el ea ei ele lui lor acesta aceasta acestea acela aceea asta acolo',
    noAnswer: 'În documente nu s-a găsit nimic care să răspundă la această întrebare.',
  },
  cs: {
    commonWords:
      'a se na je v že to s z o i do ve k pro by jsem ale si po jako jsou tak od za který která jeho být ze není nebo až však byl bylo při která které už také mezi roku má může jen tím této',
    letters: /[řěůžščý]/g,
    conjunctions: 'a nebo ale tak také',
    pronouns: 'on ona ono oni jeho její jejich ten ti toho té tam',
    noAnswer: 'V dokumentech nebylo nalezeno nic, co by na tuto otázku odpovídalo.',
  },
  hu: {
    commonWords:
      'a az és hogy nem is egy ez meg csak volt van de ha azt mint már el ki még vagy itt lehet kell akkor ezt minden nagy majd mert lesz sem pedig után sok első annak között által olyan valamint ezek amely aki',
    letters: /[őű]|sz|gy|ny/g,
    conjunctions: 'és vagy de akkor',
    pronouns: 'ő ezt annak ennek azok ezek ott',
    noAnswer: 'A dokumentumokban nem található semmi, ami választ adna erre a kérdésre.',
  },
  vi: {
    commonWords:
      'và của là có được trong cho các một không với những người này khi đã tại năm từ để về như cũng đến trên ra vào nhiều hơn sau đó theo nhưng vì sẽ bị do nên rằng thì mà ở hay hoặc cùng lại còn chỉ ông họ bởi giữa hai làm',
    letters: /[ăđơưạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ]/g,
  },
  af: {
    commonWords:
      'die en van in is het nie wat met vir om aan as word op ook sy dat sal kan hulle maar deur uit een of hy na by hierdie',
    isSmaller: true,
  },
  az: {
    commonWords:
      'və bir bu ilə üçün olan də ki daha çox sonra idi onun kimi hər olaraq isə ən edir olub həmin',
    letters: /ə/g,
    isSmaller: true,
  },
  ca: {
    commonWords:
      'els les i a una amb per és va més dels seu seva són pel aquest aquesta també fou però aquests segle any',
    isSmaller: true,
  },
  cy: {
    commonWords: 'y yn o a i ar mae ac yr gan oedd am fod gyda ei wedi hyn bod neu fel eu wrth',
    isSmaller: true,
  },
  et: {
    commonWords:
      'ja on ei et oli see ka kui mis oma ta aga või kes ning selle ole nii siis välja pärast tema sest mida järgi kuni kõik',
    letters: /õ|ää|üü/g,
    isSmaller: true,
  },
  eu: {
    commonWords:
      'eta da ez bat dira izan zen du ere baina edo hau ziren bere den dela dute egin zuen beste arte',
    isSmaller: true,
  },
  ga: {
    commonWords: 'an na agus ar is i le a do go bhí sé ag tá de sin leis nó chun faoi ó raibh',
    isSmaller: true,
  },
  hr: {
    commonWords:
      'i u je na se da su za od s sa koji koja koje kao ne bio bila što ili nije ali iz po do bi ovo kako sve može već prema nakon',
    letters: /đ|ije|nj/g,
    isSmaller: true,
  },
  id: {
    commonWords:
      'yang dan di dari untuk dengan pada adalah ini itu dalam tidak oleh sebagai ke juga telah akan atau karena tersebut menjadi dapat mereka bisa saya kami lebih',
    needsSeveralWords: true,
  },
  is: {
    commonWords:
      'og að í á er sem til var um við með fyrir en af eru það ekki hann frá eða þessi voru þá hún því eftir sér hefur',
    letters: /[þð]/g,
    isSmaller: true,
  },
  lt: {
    commonWords:
      'ir yra į kad su iš tai buvo nuo kaip už bet ne dėl jo po kurie tik bei pagal taip apie šis jis ar arba jau kai',
    letters: /[ėųįę]/g,
    needsSeveralWords: true,
  },
  lv: {
    commonWords:
      'un ir ar no uz par ka kas bija tika arī pēc kā vai lai tas pie bet šis to savu tiek nav tās tā viņš līdz',
    letters: /[ģķļņāēī]/g,
    isSmaller: true,
  },
  sk: {
    commonWords:
      'a v sa na je že do s z o pre ako aj ale od po za pri bol bola ktorý ktorá ktoré sú nie boli však svoj ich len už alebo bolo tiež',
    letters: /[ľĺŕô]/g,
    isSmaller: true,
  },
  sl: {
    commonWords:
      'in je v na se za so da ki ter z s pri kot od po iz ni tudi bil bila ali do lahko pa še ko ima ga bilo zaradi med',
    isSmaller: true,
  },
  sq: {
    commonWords:
      'të e në dhe i për me një që është nga se si nuk më ka u do ishte ai kjo janë por ky ose prej',
    isSmaller: true,
  },
  sw: {
    commonWords:
      'ya na wa kwa ni katika la za cha kama hii hiyo pia au lakini wake yake kuwa ambayo ambao watu baada hadi kati hivyo sana zaidi vya huo',
    needsSeveralWords: true,
  },
  tl: {
    commonWords:
      'ang ng sa na mga ay at ni si ito mula para kung may hindi isang kanyang bilang nito noong kay upang siya',
    needsSeveralWords: true,
  },
});
