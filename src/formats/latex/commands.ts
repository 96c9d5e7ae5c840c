import type { Run } from '../shared/flow/runs.ts';

export type Style = Omit<Run, 'text' | 'markdown'>;

/** Commands that set the style of their argument. */
export const STYLED_ARGUMENTS: Record<string, Style> = {
  textbf: { bold: true },
  textit: { italic: true },
  textsl: { italic: true },
  emph: { italic: true },
  texttt: { code: true },
  sout: { strike: true },
  st: { strike: true },
  strong: { bold: true },
  code: { code: true },
};

/** Commands that set the style until the end of the group or environment. */
export const STYLE_SWITCHES: Record<string, Style> = {
  bf: { bold: true },
  bfseries: { bold: true },
  it: { italic: true },
  itshape: { italic: true },
  sl: { italic: true },
  slshape: { italic: true },
  em: { italic: true },
  tt: { code: true },
  ttfamily: { code: true },
  rm: {},
  normalfont: {},
};

/** Number of arguments that are left out, by command. The arguments configure the layout and are not text. */
const DROPPED_ARGUMENTS: Record<string, number> = {
  addcontentsline: 3,
  addtocontents: 2,
  addtocounter: 2,
  addtolength: 2,
  addvspace: 1,
  bibliographystyle: 1,
  captionsetup: 1,
  color: 1,
  definecolor: 3,
  DeclareMathAlphabet: 5,
  enlargethispage: 1,
  fontsize: 2,
  geometry: 1,
  glossary: 1,
  graphicspath: 1,
  hspace: 1,
  hypersetup: 1,
  hyphenation: 1,
  index: 1,
  label: 1,
  linespread: 1,
  lstset: 1,
  markboth: 2,
  markright: 1,
  newcounter: 1,
  newlength: 1,
  newsavebox: 1,
  nocite: 1,
  pagecolor: 1,
  pagenumbering: 1,
  pagestyle: 1,
  phantom: 1,
  hphantom: 1,
  vphantom: 1,
  refstepcounter: 1,
  renewcommand: 2,
  resizebox: 2,
  rule: 2,
  scalebox: 1,
  rotatebox: 1,
  selectfont: 0,
  selectlanguage: 1,
  setcounter: 2,
  setlength: 2,
  settowidth: 2,
  stepcounter: 1,
  stretch: 1,
  symbol: 1,
  textcolor: 1,
  colorbox: 1,
  fcolorbox: 2,
  theoremstyle: 1,
  thispagestyle: 1,
  usebox: 1,
  usecounter: 1,
  usepackage: 1,
  usetikzlibrary: 1,
  vspace: 1,
  fancyhf: 1,
  fancyhead: 1,
  fancyfoot: 1,
  lhead: 1,
  rhead: 1,
  chead: 1,
  lfoot: 1,
  rfoot: 1,
  cfoot: 1,
  cline: 1,
  cmidrule: 1,
  rowcolor: 1,
  cellcolor: 1,
  columncolor: 1,
  arraystretch: 0,
  raisebox: 1,
  parbox: 1,
  foreignlanguage: 1,
  hyperlink: 1,
  hypertarget: 1,
  mathversion: 1,
  newtheoremstyle: 9,
  numberwithin: 2,
  setlist: 1,
  titleformat: 5,
  titlespacing: 4,
  counterwithin: 2,
  DeclareFontFamily: 3,
  DeclareFontShape: 6,
  itemsep: 0,
  multirow: 2,
  printbibliography: 0,
  addbibresource: 1,
  crefname: 3,
  Crefname: 3,
  usetheme: 1,
  usecolortheme: 1,
  zlabel: 1,
  special: 1,
  vadjust: 1,
  openin: 0,
  fancypagestyle: 2,
  sisetup: 1,
  pgfplotsset: 1,
  tikzset: 1,
}; // prettier-ignore

/** Returns how many arguments of a command are not text, or `undefined` if all of them may be text. */
export const countDroppedArguments = (command: string): number | undefined =>
  Object.hasOwn(DROPPED_ARGUMENTS, command) ? DROPPED_ARGUMENTS[command] : undefined;

/** Headings from the highest level to the lowest. */
export const SECTIONS = ['part', 'chapter', 'section', 'subsection', 'subsubsection'];

export const CITATION = /^(?:[Cc]ite[a-zA-Z]*|(?:paren|text|foot|auto|smart|full|super)cite[a-z]*)$/;
export const REFERENCE = /^(?:eqref|ref|autoref|cref|Cref|pageref|nameref|vref|fref|subref)$/;

/** Plain TeX commands that are followed by a length, such as `\vskip 3pt plus 1pt` or `\parindent=0pt`. */
export const TAKES_LENGTH =
  /^(?:[vh]skip|[vh]size|kern|mskip|lower|raise|parindent|parskip|baselineskip|looseness|hangindent|hangafter|leftskip|rightskip|(?:text|line|page)(?:width|height)|[a-z]+margin|tabcolsep|itemsep|topsep|[a-z]*penalty|tolerance|emergencystretch|spaceskip|advance|count|dimen|openup|magnification|[a-z]+sep)$/;

/** Steps of algorithms, each of which begins a line. */
export const ALGORITHM_STEP =
  /^(?:State|Statex|If|ElsIf|ElseIf|Else|EndIf|For|ForAll|EndFor|While|EndWhile|Repeat|Until|Loop|EndLoop|Return|Require|Ensure|Procedure|EndProcedure|Function|EndFunction|STATE|IF|ELSIF|ELSE|ENDIF|FOR|FORALL|ENDFOR|WHILE|ENDWHILE|REPEAT|UNTIL|RETURN|REQUIRE|ENSURE)$/;
