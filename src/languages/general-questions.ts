/** Words of questions about a whole document, by language. An entry with `*` is the beginning of a word. */
const ROWS = `
en|document* file files text texts paper papers report reports article articles summar* overview about topic topics subject subjects content contents main outline* brief briefly give short tell me please
de|dokument* datei dateien text texts texte bericht* artikel artikels zusammen zusammenfass* fasse fass überblick thema themen inhalt inhalts handelt geht kurz hauptthema hauptinhalt hauptaussage
fr|document* fichier fichiers texte textes rapport rapports article articles résum* aperçu sujet sujets thème thèmes contenu parle principal principaux
es|documento documentos archivo archivos texto textos informe informes artículo artículos resum* tema temas contenido contenidos trata principal principales
it|documento documenti file testo testi relazione articolo articoli riassu* riepilog* tema temi argomento argomenti contenuto contenuti parla principale principali
pt|documento documentos arquivo arquivos texto textos relatório relatórios artigo artigos resum* tema temas assunto assuntos conteúdo trata principal principais
nl|document* bestand bestanden tekst teksten rapport rapporten artikel artikelen samenvat* vat overzicht onderwerp onderwerpen inhoud gaat
pl|dokument* plik* tekst* raport* artykuł* streść* podsumuj* temat* treść treści
ru|документ* файл* текст* отчёт* отчет* стать* резюм* кратк* тема темы теме содержан* обобщ* говорит
tr|belge* dosya* metin* metn* rapor* makale* özet* konu konusu içerik içeriği hakkında
ro|document* fișier* text* raport* articol* rezum* tema temă subiect* conținut* despre
el|έγγραφ* αρχεί* κείμεν* άρθρο* περίληψ* συνόψι* θέμα θέματα περιεχόμεν*
vi|tài liệu văn bản bài viết tóm tắt chủ đề nội dung
`;
/** Phrases of scripts without spaces. They are removed in this order, so a phrase stands before its parts. */
const UNSPACED =
  '这份 这个 这篇 本文 文件 文档 文章 总结 概括 概述 摘要 主要 内容 主题 关于 讲 说 请 的 是 了 什么 一下 この ドキュメント 文書 文章 ファイル 要約 概要 内容 主題 について 何 は の を して ください ですか です เอกสาร ไฟล์ สรุป เนื้อหา เกี่ยวกับ อะไร นี้';

const entries = new Map(
  ROWS.trim()
    .split('\n')
    .map((row): [string, string[]] => {
      const [code = '', words = ''] = row.split('|');
      return [code, words.split(' ')];
    }),
);
const phrases = UNSPACED.split(' ');

/**
 * Returns whether a question is about a whole document, such as "What is this document about?". `words` are its
 * words without stop words and question words.
 */
export function isGeneralQuestion(question: string, words: readonly string[], language: string): boolean {
  const known = entries.get(language);
  if (known) return words.length > 0 && words.every((word) => known.some((each) => matches(word, each)));
  const rest = phrases.reduce((text, phrase) => text.replaceAll(phrase, ''), question);
  return rest !== question && !/[\p{L}\p{N}]/u.test(rest);
}

const matches = (word: string, entry: string) =>
  entry.endsWith('*') ? word.startsWith(entry.slice(0, -1)) : word === entry;
