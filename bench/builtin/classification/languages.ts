import type { ClassificationSet } from './sets.ts';

const TOPICS = ['cooking', 'illness', 'sport', 'weather', 'home'];
const ENGLISH = [
  'Recipes and meals: what goes into a dish and how it is cooked.',
  'Diseases, doctors and medicines.',
  'Games, races, teams and who won.',
  'Rain, snow, wind and sun: forecasts.',
  'Houses and flats, furniture and repairs.',
];

/**
 * Everyday texts in twelve languages, written for this bench and never used in a fit. Each topic has a
 * description as a caller may write it in that language, and a text about the topic in other words.
 */
const TEXTS: Record<string, [description: string, text: string][]> = {
  fr: [
    [
      "Recettes et repas : ce qu'on met dans un plat et comment on le cuit.",
      "Coupez les carottes et l'oignon, faites-les revenir dans le beurre, puis ajoutez les pommes de terre et le bouillon.",
    ],
    [
      'Maladies, médecins et médicaments.',
      'Depuis trois jours il tousse, il a de la fièvre et mal à la gorge ; la pharmacie lui a donné un sirop.',
    ],
    [
      'Jeux, courses, équipes et vainqueurs.',
      "L'attaquant a marqué deux buts au stade et l'entraîneur a félicité ses footballeurs après la victoire.",
    ],
    [
      'Pluie, neige, vent et soleil : prévisions.',
      'Demain le ciel sera couvert de nuages, un orage éclatera le soir et la température tombera à huit degrés.',
    ],
    [
      'Maisons et appartements, meubles et réparations.',
      'La fenêtre de la cuisine ne ferme plus, le lit et le canapé sont livrés mardi, et la porte doit être repeinte.',
    ],
  ],
  es: [
    [
      'Recetas y comidas: qué lleva un plato y cómo se cocina.',
      'Corta los tomates y el ajo, fríelos con aceite de oliva y mézclalos con el arroz y el pollo.',
    ],
    [
      'Enfermedades, médicos y medicamentos.',
      'Lleva una semana con tos y fiebre; en el hospital le pusieron una inyección y le dieron pastillas.',
    ],
    [
      'Juegos, carreras, equipos y quién ganó.',
      'El delantero metió un gol de cabeza en el estadio y el árbitro pitó el final con la copa decidida.',
    ],
    [
      'Lluvia, nieve, viento y sol: pronósticos.',
      'Mañana habrá nubes y una tormenta con rayos por la tarde; la temperatura bajará a diez grados.',
    ],
    [
      'Casas y pisos, muebles y reparaciones.',
      'La puerta del baño no cierra, la cama y el sofá llegan el martes y hay que pintar la habitación.',
    ],
  ],
  it: [
    [
      'Ricette e pasti: cosa va in un piatto e come si cucina.',
      "Tagliate i pomodori e l'aglio, fateli soffriggere in padella con olio e condite gli spaghetti con il formaggio.",
    ],
    [
      'Malattie, medici e farmaci.',
      "Da tre giorni ha la febbre e la tosse; in ospedale gli hanno fatto un'iniezione e dato delle pillole.",
    ],
    [
      'Giochi, gare, squadre e chi ha vinto.',
      "L'attaccante ha segnato un gol allo stadio e il calcio italiano festeggia la medaglia e la coppa.",
    ],
    [
      'Pioggia, neve, vento e sole: previsioni.',
      'Domani cielo coperto di nuvole, un temporale con fulmini in serata e temperatura di otto gradi.',
    ],
    [
      'Case e appartamenti, mobili e riparazioni.',
      'La porta del bagno non si chiude, il letto e il divano arrivano martedì e la camera va dipinta.',
    ],
  ],
  pt: [
    [
      'Receitas e refeições: o que leva um prato e como se cozinha.',
      'Corte os tomates e o alho, frite-os em azeite e misture com o arroz, o queijo e o frango.',
    ],
    [
      'Doenças, médicos e medicamentos.',
      'Há três dias que ele tem febre e tosse; no hospital deram-lhe uma injeção e comprimidos.',
    ],
    [
      'Jogos, corridas, equipas e quem ganhou.',
      'O avançado marcou um gol de cabeça no estádio e o futebol português festeja a taça e a medalha.',
    ],
    [
      'Chuva, neve, vento e sol: previsões.',
      'Amanhã o céu fica com nuvens, à noite há uma tempestade com raios e a temperatura desce a oito graus.',
    ],
    [
      'Casas e apartamentos, móveis e reparações.',
      'A porta do banheiro não fecha, a cama e o sofá chegam na terça e o quarto tem de ser pintado.',
    ],
  ],
  nl: [
    [
      'Recepten en maaltijden: wat er in een gerecht gaat en hoe het wordt gekookt.',
      'Snijd de wortels en de ui, bak ze in boter en voeg aardappelen, kaas en peper toe.',
    ],
    [
      'Ziekten, dokters en medicijnen.',
      'Hij hoest al drie dagen en heeft koorts; in het ziekenhuis kreeg hij een injectie en pillen.',
    ],
    [
      'Spelen, races, ploegen en wie won.',
      'De spits schoot de bal twee keer in het doel en het stadion vierde het kampioenschap voetbal.',
    ],
    [
      'Regen, sneeuw, wind en zon: voorspellingen.',
      'Morgen is het bewolkt, in de avond volgt onweer met bliksem en de temperatuur daalt tot acht graden.',
    ],
    [
      'Huizen en woningen, meubels en reparaties.',
      'De deur van de badkamer sluit niet, het bed en de bank komen dinsdag en de muur moet worden geverfd.',
    ],
  ],
  sv: [
    [
      'Recept och måltider: vad som ingår i en rätt och hur den lagas.',
      'Skär morötterna och löken, stek dem i smör och tillsätt potatis, ost och peppar.',
    ],
    [
      'Sjukdomar, läkare och mediciner.',
      'Han har hostat i tre dagar och har feber; på sjukhuset fick han en spruta och tabletter.',
    ],
    [
      'Spel, lopp, lag och vem som vann.',
      'Anfallaren sköt bollen i mål två gånger och arenan firade guldmedaljen i fotboll.',
    ],
    [
      'Regn, snö, vind och sol: prognoser.',
      'I morgon blir det moln, på kvällen åska med blixtar och temperaturen sjunker till åtta grader.',
    ],
    [
      'Hus och lägenheter, möbler och reparationer.',
      'Dörren till badrummet går inte att stänga, sängen och soffan kommer på tisdag och väggen ska målas.',
    ],
  ],
  pl: [
    [
      'Przepisy i posiłki: co wchodzi do dania i jak się je gotuje.',
      'Pokrój marchewkę i cebulę, usmaż na maśle, dodaj ziemniaki, ser i pieprz.',
    ],
    [
      'Choroby, lekarze i leki.',
      'Od trzech dni kaszle i ma gorączkę; w szpitalu dostał zastrzyk i tabletki.',
    ],
    [
      'Gry, wyścigi, drużyny i zwycięzcy.',
      'Napastnik strzelił dwa gole, a cały stadion świętował puchar i złoty medal piłkarzy.',
    ],
    [
      'Deszcz, śnieg, wiatr i słońce: prognozy.',
      'Jutro niebo pokryją chmury, wieczorem burza z piorunami, a temperatura spadnie do ośmiu stopni.',
    ],
    [
      'Domy i mieszkania, meble i naprawy.',
      'Drzwi do łazienki się nie zamykają, łóżko i kanapa przyjadą we wtorek, a pokój trzeba pomalować.',
    ],
  ],
  ru: [
    [
      'Рецепты и еда: что входит в блюдо и как его готовят.',
      'Нарежьте морковь и лук, обжарьте на масле, добавьте картофель, сыр и перец.',
    ],
    [
      'Болезни, врачи и лекарства.',
      'Он третий день кашляет, у него температура; в больнице ему сделали укол и дали таблетки.',
    ],
    [
      'Игры, гонки, команды и победители.',
      'Нападающий забил два мяча, и весь стадион праздновал кубок и золотую медаль футболистов.',
    ],
    [
      'Дождь, снег, ветер и солнце: прогнозы.',
      'Завтра небо закроют облака, вечером гроза с молниями, похолодает до восьми градусов.',
    ],
    [
      'Дома и квартиры, мебель и ремонт.',
      'Дверь в ванную не закрывается, кровать и диван привезут во вторник, стену надо покрасить.',
    ],
  ],
  tr: [
    [
      'Tarifler ve yemekler: bir yemeğe ne girer ve nasıl pişirilir.',
      'Havuçları ve soğanı doğrayın, tereyağında kızartın, patates, peynir ve biber ekleyin.',
    ],
    [
      'Hastalıklar, doktorlar ve ilaçlar.',
      'Üç gündür öksürüyor ve ateşi var; hastanede iğne yaptılar ve hap verdiler.',
    ],
    [
      'Oyunlar, yarışlar, takımlar ve kazananlar.',
      'Forvet iki gol attı ve bütün stadyum futbol kupasını ve altın madalyayı kutladı.',
    ],
    [
      'Yağmur, kar, rüzgâr ve güneş: tahminler.',
      'Yarın gökyüzü bulutlu, akşam şimşekli fırtına var ve sıcaklık sekiz dereceye düşecek.',
    ],
    [
      'Evler ve daireler, mobilya ve onarım.',
      'Banyonun kapısı kapanmıyor, yatak ve kanepe salı günü geliyor ve duvar boyanacak.',
    ],
  ],
  fi: [
    [
      'Reseptit ja ateriat: mitä ruokaan tulee ja miten se keitetään.',
      'Leikkaa porkkanat ja sipuli, paista ne voissa ja lisää perunat, juusto ja pippuri.',
    ],
    [
      'Sairaudet, lääkärit ja lääkkeet.',
      'Hän on yskinyt kolme päivää ja hänellä on kuumetta; sairaalassa hän sai ruiskeen ja pillereitä.',
    ],
    [
      'Pelit, kilpailut, joukkueet ja voittajat.',
      'Hyökkääjä teki kaksi maalia, ja koko stadion juhli jalkapallon kultamitalia ja pokaalia.',
    ],
    [
      'Sade, lumi, tuuli ja aurinko: ennusteet.',
      'Huomenna taivas on pilvessä, illalla tulee ukkonen ja salamoita, ja lämpötila laskee kahdeksaan asteeseen.',
    ],
    [
      'Talot ja asunnot, huonekalut ja korjaukset.',
      'Kylpyhuoneen ovi ei mene kiinni, sänky ja sohva tulevat tiistaina ja seinä pitää maalata.',
    ],
  ],
  hu: [
    [
      'Receptek és ételek: mi kerül bele és hogyan főzik.',
      'Vágd fel a répát és a hagymát, süsd meg vajban, majd adj hozzá burgonyát, sajtot és borsot.',
    ],
    [
      'Betegségek, orvosok és gyógyszerek.',
      'Három napja köhög és lázas; a kórházban injekciót és tablettát kapott.',
    ],
    [
      'Játékok, versenyek, csapatok és győztesek.',
      'A csatár két gólt lőtt, és az egész stadion ünnepelte a kupát és az aranyérmet.',
    ],
    [
      'Eső, hó, szél és nap: előrejelzések.',
      'Holnap felhők borítják az eget, este villámlik és vihar jön, a hőmérséklet nyolc fokra csökken.',
    ],
    [
      'Házak és lakások, bútorok és javítások.',
      'A fürdőszoba ajtaja nem záródik, az ágy és a kanapé kedden jön, a falat ki kell festeni.',
    ],
  ],
  ja: [
    ['料理と食事：材料と作り方。', '人参と玉ねぎを切ってバターで炒め、じゃがいもとチーズと胡椒を加えます。'],
    ['病気、医者、薬。', '三日前から咳が出て熱があり、病院で注射をして錠剤をもらいました。'],
    ['試合、競走、チーム、勝者。', '彼は二点を決め、競技場の全員がサッカーの優勝と金メダルを祝いました。'],
    ['雨、雪、風、太陽：予報。', '明日は空が雲に覆われ、夜は雷と稲妻があり、気温は八度まで下がります。'],
    [
      '家とアパート、家具と修理。',
      '浴室の扉が閉まらず、寝台と長椅子は火曜日に届き、壁を塗る必要があります。',
    ],
  ],
};

/** Builds one set per language, with rules in that language or in English. */
export function buildEverydaySets(rulesIn: 'own' | 'English'): ClassificationSet[] {
  return Object.entries(TEXTS).map(([name, topics]) => ({
    name,
    rules: TOPICS.map((topic, k) =>
      rulesIn === 'own'
        ? { type: `k${k}`, description: topics[k]![0] }
        : { type: topic, description: ENGLISH[k]! },
    ),
    items: topics.map(([, text], k) => ({
      document: { name: 'a.txt', pages: [{ index: 0, width: 612, height: 792, text, blocks: [] }] },
      type: rulesIn === 'own' ? `k${k}` : TOPICS[k]!,
    })),
    strangers: [],
  }));
}
