/**
 * Words of questions about a whole document. Columns: language, words for documents, words such as "about", words
 * such as "summary", other words of such questions. An entry with `*` is the beginning of a word.
 */
const ROWS = `
en|document* doc docs file files text texts paper papers report reports article articles manual* handbook* guide guides book books letter* contract* agreement* presentation* page pages pdf pdfs this these that it everything|about describe* explain* tell deal deals cover covers discuss* introduce*|summar* overview gist synopsis tldr abstract topic topics subject subjects content contents outline* theme themes|what which is are was the a an of in on for to and do does did can could you i me my give get please main key brief briefly short quick whole entire full one few three sentence sentences words point points idea ideas whats s all
de|dokument* datei dateien text texte textes texten bericht* artikel* handbuch* anleitung* brief* vertrag* vertrags buch seite seiten pdf das dies dieses es hier alles|geht handelt beschreib* erklär* erzähl* behandelt|zusammenfass* fass fasse überblick thema themen inhalt inhalts kurzfassung hauptthema hauptinhalt hauptaussage* hauptpunkte kernaussage* kernpunkte|worum wovon was zusammen kurz bitte mir gib eine einen einem einer ein der die den dem des in im um von ist sind über wichtigste wichtigsten welche welches sich und diesem diesen dieser diese für satz sätzen kannst du uns zum
fr|document* fichier* texte* rapport* article* manuel* guide* contrat* lettre* livre* page* pdf ce cela ça ceci il|parle parlent traite* décri* expli*|résum* resum* aperçu sujet* thème* contenu* synthèse* synthétis* synopsis|quoi principal* principaux principales de du des le la les l un une cet cette ces est sont quel quelle quels quelles que qu en bref brièvement me moi donne donnez fais faites peux tu pouvez vous s te plaît t d sur dans phrase phrases c ci
es|document* archivo* texto* informe* artículo* manual* guía* contrato* carta* libro* página* pdf esto esta este eso todo|trata tratan habla hablan describ* explic*|resum* síntesis sinopsis tema temas asunto* contenido*|principal* de del qué que cuál cuáles es son el lo la los las un una en breve brevemente por favor dame me haz hazme clave sobre puedes estos puntos ideas frases se
it|document* file testo testi relazion* articol* manual* guida contratt* lettera libro pagin* pdf questo questa ciò tutto|parla parlano tratta descriv* spieg*|riassu* riepilog* sintesi sintetizz* tema temi argoment* contenut* sommario|principal* di del della dell dei che cosa cos è sono il lo la i gli le l un una uno in breve brevemente per favore dammi fammi mi qual quale quali si questi frasi punti
pt|document* arquivo* ficheiro* texto* relatório* artigo* manual* guia contrato* carta livro págin* pdf isto isso este esta tudo|trata tratam fala falam descrev* expli*|resum* síntese sinopse tema temas assunto* conteúdo*|principal* principais de do da dos das que qual quais é são o a os as um uma em breve brevemente por favor me dê faça sobre se pontos frases
nl|document* bestand* tekst* rapport* artikel* handleiding* gids contract* brief boek pagina* pdf dit dat deze alles|gaat handelt beschrijf* over vertel leg|samenvat* vat overzicht onderwerp* inhoud* thema*|samen waar waarover de het een van kort wat is zijn belangrijkste geef me mij alsjeblieft graag in eens uit hoofdpunten kernpunten zinnen
pl|dokument* plik* tekst* raport* artyku* podręcznik* instrukcj* umow* list książk* stron* pdf to wszystko|czym mówi mówią opisz opisuje dotyczy dotyczą traktuje|streść streszcz* podsumuj* podsumow* temat tematy treść treści zawartość skrót przegląd|o jest są ten ta tego tym te co w jaki jaka jakie główn* krótko proszę mi najważniejsze punkty czego
sv|dokument* fil filen filer text* rapport* artik* manual* handbok* avtal* brev bok* sida* pdf detta det allt|handlar beskriv* berätta förklara|sammanfatt* översikt ämne* innehåll* tema*|vad är av en ett i kort ge mig tack den de denna viktigaste punkterna om
da|dokument* fil filen filer tekst* rapport* artik* manual* håndbog* aftale* brev bog* side* pdf dette det alt|handler beskriv* fortæl forklar|sammenfat* resum* opsummer* overblik oversigt emne* indhold* tema*|hvad er af en et i kort giv mig tak den denne de vigtigste punkter om
no|dokument* fil filen filer tekst* rapport* artik* manual* håndbok* avtale* brev bok* side* pdf dette det alt|handler beskriv* fortell forklar|sammendrag* sammenfatt* oppsummer* oversikt emne* tema* innhold*|hva er av en et i kort gi meg takk den denne de viktigste punktene om
fi|asiakirj* dokument* tiedosto* teksti* raport* artikkel* opas oppaa* käyttöoh* sopimu* kirje* kirja* sivu* pdf tämä tämän|kertoo käsittelee kuvaa kuvaile selitä|tiivist* yhteenve* aihe aiheen sisältö sisällön pääkohd*|mistä mikä mitä on tässä lyhyesti anna minulle kiitos ja
tr|belge* doküman* dosya* metin metn* rapor* makale* kılavuz* kitap* kitab* sözleşme* mektup* sayfa* pdf bu bunu|hakkında anlat* bahset* bahsed* ilgili açıkla*|özet* konu konusu konuyu içerik içeriğ*|nedir ne neyi neyle ile bir kısa kısaca lütfen bana ver ana neden bahsediyor
ro|document* fișier* text* raport* articol* manual* ghid* contract* scrisoare* cart* pagin* pdf acest aceasta asta|despre tratează descri* explic* vorbește|rezum* temă tema teme subiect* conținut* sinteză|ce este e sunt în pe scurt te rog care principal* un o al a ale de fă mi dă
cs|dokument* soubor* text* zpráv* článe* článk* příruč* návod* smlouv* dopis* knih* strán* pdf toto to|čem pojednáv* popi* vysvětl* týká|shrň shrnut* shrnout* souhrn* téma* témat* obsah obsahu přehled|o je co se v tohoto tomto tento této tato ten jaké jaký jaká stručně prosím mi hlavní krátce čeho
sk|dokument* súbor* text* správ* článok* článk* príruč* návod* zmluv* list knih* strán* pdf toto to|čom pojednáva* opíš* vysvetl* týka|zhrň zhrnut* zhrnúť súhrn* téma* tému obsah obsahu prehľad|o je čo sa v tohto tomto tento táto ten aké aký aká stručne prosím mi hlavné hlavný krátko čoho
hu|dokumentum* fájl* szöveg* jelentés* cikk* kézikönyv* útmutató* szerződés* levél* könyv* oldal* pdf ez ezt|szól miről leír* magyaráz*|foglald összefoglal* téma témá* tartalm* tartalom* lényeg*|össze a az mi rövid röviden kérlek meg fő adj
ru|документ* файл* текст* отчёт* отчет* стать* стате* доклад* руководств* инструкци* договор* письм* книг* страниц* pdf это всё|чём чем говорит* рассказ* описыва* опиши повеств* идёт идет речь|резюм* кратк* тема темы теме содержан* обобщ* перескаж* пересказ* суть суммир* итог*|о об этом этого эта этот эти какая какое каков в главн* основн* сделай дай пожалуйста мне
uk|документ* файл* текст* звіт* статт* посібник* інструкц* договір* договор* лист* книг* сторін* pdf це все|чому чім йдеться розповід* опиши описує говорить про|резюм* стисл* тема теми зміст* узагальн* підсум* суть коротк*|що о цей цього ця в у яка який головн* основн* будь ласка мені
bg|документ* файл* текст* доклад* отчет* стати* ръководств* договор* писмо* книг* страниц* pdf това|говори разказ* описва опиши става за|резюм* обобщ* тема темата съдържани* накратко кратк* същност*|какво е се този тази в какъв каква моля ми основн* главн* на
sr|документ* фајл* датотек* текст* извешта* чланак* чланк* приручник* уговор* писмо* књиг* страниц* pdf ово|чему говори описује опиши ради|сажет* сажм* резим* тема теме садржа* преглед|о је овај ова се која главн* кратко молим ми
el|έγγραφ* αρχεί* κείμεν* αναφορά άρθρ* εγχειρίδι* συμβόλαι* σύμβασ* βιβλί* σελίδ* pdf αυτό|τίνος πρόκειται μιλά μιλάει αφορά περιγρ*|περίληψ* σύνοψ* συνόψισ* θέμα θέματα περιεχόμεν* σύντομ*|περί το του η ο τι είναι αυτού για ποιο ποια τα κύρι* μου δώσε παρακαλώ κάνε
vi|tài văn tệp bài báo sách này đây|về nói mô giải|tóm chủ nội|liệu bản viết cáo tắt đề dung gì là cho tôi của chính hãy tin tả thích
id|dokumen* berkas file teks laporan artikel buku kontrak surat panduan pdf ini itu|tentang membahas menjelaskan jelaskan ceritakan|ringkas* rangkum* ikhtisar topik tema isi pokok|apa yang dari secara singkat tolong beri berikan saya utama
ar|وثيقة الوثيقة مستند المستند ملف الملف نص النص تقرير التقرير مقال المقال كتاب الكتاب عقد العقد هذا هذه|يتحدث تتحدث يتناول تتناول عم عن اشرح يدور تدور|لخص تلخيص ملخص الملخص موضوع الموضوع محتوى المحتوى خلاصة مضمون|ما ماذا هو هي في من لي لهذا لهذه باختصار الرئيسي
he|מסמך המסמך קובץ הקובץ טקסט הטקסט דוח הדוח מאמר המאמר ספר הספר חוזה החוזה זה|מדבר עוסק מתאר תאר|סכם לסכם תסכם סיכום תקציר נושא הנושא תוכן התוכן|על את מה של הזה בקצרה לי תן בבקשה העיקרי מהו במה
hi|दस्तावेज़ दस्तावेज फ़ाइल फाइल पाठ रिपोर्ट लेख पुस्तक अनुबंध यह इस|बारे बताओ बताएं बताइए|सारांश संक्षेप विषय सामग्री सार|में है का की के किस क्या दें दो कीजिए करें मुख्य मुझे
`;
/** Phrases of scripts without spaces: those that ask for a summary or name a document, then other phrases. */
const UNSPACED = {
  essential:
    '文件 文档 文檔 文章 本文 报告 報告 总结 總結 概括 概述 摘要 主题 主題 大意 ドキュメント 文書 文章 資料 要約 概要 主題 テーマ まとめ เอกสาร ไฟล์ บทความ สรุป เนื้อหา 문서 파일 보고서 기사 요약 개요 주제',
  other:
    '这份 这个 这篇 這份 這個 這篇 主要 内容 內容 关于 關於 讲述 讲 講 说 說 请 請 介绍 的 是 了 什么 什麼 一下 哪些 この ファイル について 何 なに なん は の を が し て で す か に 書かれ いる ください 下さい 教え 本 นี้ เกี่ยวกับ อะไร หน่อย ให้ 내용 무엇 에 관한 대한 대해 것 입니까 인가요 이에요 해 주세요 줘 간단히 설명 을 를 은 는 이 가 의 뭐 야',
};

/** Headings above the summary of a document. */
const ABSTRACTS = `abstract,summary,executive summary,overview,zusammenfassung,kurzfassung,überblick,résumé,resumen,resumo,riassunto,sommario,
samenvatting,streszczenie,sammanfattning,sammendrag,resumé,tiivistelmä,özet,rezumat,souhrn,abstrakt,súhrn,összefoglaló,аннотация,резюме,анотація,
περίληψη,tóm tắt,abstrak,ringkasan,ملخص,الملخص,תקציר,सारांश,초록,요약,摘要,概要,要旨,要約,บทคัดย่อ`;

export interface GeneralWords {
  nouns: readonly string[];
  abouts: readonly string[];
  summaries: readonly string[];
  others: readonly string[];
}

/** Words of questions about a whole document, by ISO 639-1 code. An entry with `*` is the beginning of a word. */
export const generalWords: ReadonlyMap<string, GeneralWords> = new Map(
  ROWS.trim()
    .split('\n')
    .map((row): [string, GeneralWords] => {
      const [code = '', ...columns] = row.split('|');
      const [nouns = [], abouts = [], summaries = [], others = []] = columns.map((each) => each.split(' '));
      return [code, { nouns, abouts, summaries, others }];
    }),
);

const byLength = (phrases: string) => phrases.split(' ').sort((a, b) => b.length - a.length);

/**
 * Phrases of such questions in scripts without spaces, longest first. One of the essential phrases must occur, and
 * nothing may be left over.
 */
export const generalPhrases = {
  essential: byLength(UNSPACED.essential),
  all: byLength(`${UNSPACED.essential} ${UNSPACED.other}`),
};

/** Headings above the summary of a document, in lower case. */
export const abstractHeadings: ReadonlySet<string> = new Set(
  ABSTRACTS.split(',').map((heading) => heading.trim()),
);
