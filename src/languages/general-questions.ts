/** Words of questions about a whole document, by language. Each entry is the beginning of a word. */
const ROWS = `
en|document file text paper report article summar overview about topic subject content main outline brief give short tell me please
de|dokument datei text bericht artikel zusammen fass überblick thema inhalt handelt geht kurz haupt
fr|document fichier texte rapport article résum aperçu sujet thème contenu parle principal
es|documento archivo texto informe artículo resum tema contenido trata principal
it|documento file testo relazione articolo riassum riepilog tema argomento contenuto parla principale
pt|documento arquivo texto relatório artigo resum tema assunto conteúdo trata principal
nl|document bestand tekst rapport artikel samenvat vat overzicht onderwerp inhoud gaat
pl|dokument plik tekst raport artykuł streść podsumuj temat treść
ru|документ файл текст отчёт отчет стать резюм кратк тема теме содержан обобщ говорит
tr|belge dosya metin rapor makale özet konu içerik hakkında
ro|document fișier text raport articol rezum tema subiect conținut despre
el|έγγραφο αρχείο κείμεν άρθρο περίληψ συνόψισ θέμα περιεχόμεν
vi|tài liệu văn bản bài viết tóm tắt chủ đề nội dung
`;
/** Phrases of scripts without spaces. The longest ones come first, because they are removed in this order. */
const UNSPACED =
  '这份 这个 这篇 本文 文件 文档 文章 总结 概括 概述 摘要 主要 内容 主题 关于 讲 说 请 的 是 了 什么 一下 この ドキュメント 文書 文章 ファイル 要約 概要 内容 主題 について 何 は の を して ください ですか です เอกสาร ไฟล์ สรุป เนื้อหา เกี่ยวกับ อะไร นี้';

const beginnings = new Map(
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
  const known = beginnings.get(language);
  if (known) return words.length > 0 && words.every((word) => known.some((each) => word.startsWith(each)));
  const rest = phrases.reduce((text, phrase) => text.replaceAll(phrase, ''), question);
  return rest !== question && !/[\p{L}\p{N}]/u.test(rest);
}
