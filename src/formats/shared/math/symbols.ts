/** Builds a map from a list of alternating characters and LaTeX command names. */
function readPairs(list: string): ReadonlyMap<string, string> {
  const words = list.trim().split(/\s+/);
  return new Map(
    words.flatMap((word, at): [string, string][] => (at % 2 === 0 ? [[word, words[at + 1] ?? '']] : [])),
  );
}

const GREEK = readPairs(`
α alpha β beta γ gamma δ delta ε varepsilon ϵ epsilon ζ zeta η eta θ theta ϑ vartheta ι iota κ kappa ϰ varkappa
λ lambda μ mu µ mu ν nu ξ xi π pi ϖ varpi ρ rho ϱ varrho σ sigma ς varsigma τ tau υ upsilon φ varphi ϕ phi
χ chi ψ psi ω omega ϝ digamma Γ Gamma Δ Delta Θ Theta Λ Lambda Ξ Xi Π Pi Σ Sigma Υ Upsilon Φ Phi Ψ Psi Ω Omega
Ω Omega`);

const RELATIONS = readPairs(`
≤ leq ≥ geq ≠ neq ≡ equiv ≈ approx ∼ sim ≃ simeq ≅ cong ∝ propto ≪ ll ≫ gg ≺ prec ≻ succ ≼ preceq ≽ succeq
⪯ preceq ⪰ succeq ≦ leqq ≧ geqq ⩽ leqslant ⩾ geqslant ≲ lesssim ≳ gtrsim ≶ lessgtr ≷ gtrless ≍ asymp ≐ doteq
≜ triangleq ≔ coloneqq ≕ eqqcolon ∈ in ∉ notin ∋ ni ⊂ subset ⊃ supset ⊆ subseteq ⊇ supseteq ⊊ subsetneq
⊋ supsetneq ⊄ not\\subset ⊈ nsubseteq ⊏ sqsubset ⊐ sqsupset ⊑ sqsubseteq ⊒ sqsupseteq ⊢ vdash ⊣ dashv ⊨ models
⊩ Vdash ⊥ perp ⟂ perp ∥ parallel ∦ nparallel ∣ mid ∤ nmid ≁ nsim ≄ not\\simeq ≇ ncong ≉ not\\approx ≢ not\\equiv
≮ nless ≯ ngtr ≰ nleq ≱ ngeq ⊲ vartriangleleft ⊳ vartriangleright ⊴ trianglelefteq ⊵ trianglerighteq ⋈ bowtie
⌢ frown ⌣ smile ∴ therefore ∵ because ≏ bumpeq ≎ Bumpeq ≖ eqcirc ≗ circeq ⋘ lll ⋙ ggg ⊮ nVdash ⊬ nvdash ⊭ nvDash
→ to ← leftarrow ↔ leftrightarrow ⇒ Rightarrow ⇐ Leftarrow ⇔ Leftrightarrow ↦ mapsto ↑ uparrow ↓ downarrow
↕ updownarrow ⇑ Uparrow ⇓ Downarrow ⇕ Updownarrow ⟶ longrightarrow ⟵ longleftarrow ⟷ longleftrightarrow
⟹ Longrightarrow ⟸ Longleftarrow ⟺ Longleftrightarrow ⟼ longmapsto ↪ hookrightarrow ↩ hookleftarrow
↠ twoheadrightarrow ↞ twoheadleftarrow ↣ rightarrowtail ⇌ rightleftharpoons ⇋ leftrightharpoons ⇀ rightharpoonup
⇁ rightharpoondown ↼ leftharpoonup ↽ leftharpoondown ↗ nearrow ↘ searrow ↙ swarrow ↖ nwarrow ↛ nrightarrow
↚ nleftarrow ⇏ nRightarrow ⇍ nLeftarrow ⇎ nLeftrightarrow ⇝ rightsquigarrow ⇉ rightrightarrows ⇄ rightleftarrows
⇆ leftrightarrows ↺ circlearrowleft ↻ circlearrowright`);

const BINARY = readPairs(`
± pm ∓ mp × times ÷ div ⋅ cdot · cdot ∗ ast ⋆ star ∘ circ ∙ bullet • bullet ⊕ oplus ⊖ ominus ⊗ otimes ⊘ oslash
⊙ odot ⊛ circledast ⊚ circledcirc ⊞ boxplus ⊟ boxminus ⊠ boxtimes ⊡ boxdot ∪ cup ∩ cap ⋓ Cup ⋒ Cap ⊎ uplus
⊔ sqcup ⊓ sqcap ∨ vee ∧ wedge ⊻ veebar ⊼ barwedge ∖ setminus ≀ wr ⋉ ltimes ⋊ rtimes ⋄ diamond ∔ dotplus † dagger
‡ ddagger ⨿ amalg`);

const LARGE = readPairs(`
∑ sum ∏ prod ∐ coprod ∫ int ∬ iint ∭ iiint ⨌ iiiint ∮ oint ∯ oiint ∰ oiiint ⋂ bigcap ⋃ bigcup ⋁ bigvee ⋀ bigwedge
⨀ bigodot ⨁ bigoplus ⨂ bigotimes ⨄ biguplus ⨆ bigsqcup`);

const ORDINARY = readPairs(`
∞ infty ∂ partial ∇ nabla ∀ forall ∃ exists ∄ nexists ¬ neg ∅ emptyset ⌀ varnothing ℏ hbar ℓ ell ℘ wp ℜ Re ℑ Im
ℵ aleph ℶ beth ℷ gimel ℸ daleth ∠ angle ∡ measuredangle ∢ sphericalangle △ triangle ▽ triangledown □ square
■ blacksquare ◊ lozenge ♢ diamondsuit ♡ heartsuit ♣ clubsuit ♠ spadesuit ♭ flat ♮ natural ♯ sharp √ surd ⊤ top
… ldots ⋯ cdots ⋮ vdots ⋱ ddots ′ prime ° degree ∁ complement ð eth ı imath ȷ jmath ƛ lambdabar § S ¶ P £ pounds
℧ mho Å AA ⨯ times ∎ blacksquare`);

const DELIMITERS = readPairs(`
⟨ langle ⟩ rangle 〈 langle 〉 rangle ⌊ lfloor ⌋ rfloor ⌈ lceil ⌉ rceil ‖ Vert ⟦ llbracket ⟧ rrbracket
⎰ lmoustache ⎱ rmoustache ⌜ ulcorner ⌝ urcorner ⌞ llcorner ⌟ lrcorner`);

const COMMANDS = new Map([...GREEK, ...RELATIONS, ...BINARY, ...LARGE, ...ORDINARY, ...DELIMITERS]);

/** Characters that LaTeX writes in another way than as a command with a name of letters. */
const SPECIAL: ReadonlyMap<string, string> = new Map([
  ['#', '\\#'],
  ['$', '\\$'],
  ['%', '\\%'],
  ['&', '\\&'],
  ['_', '\\_'],
  ['{', '\\{'],
  ['}', '\\}'],
  ['\\', '\\backslash'],
  ['^', '\\text{\\textasciicircum}'],
  ['~', '\\sim'],
  ['`', '\\text{`}'],
  ['−', '-'],
  ['–', '-'],
  ['‐', '-'],
  ['‑', '-'],
  ['∕', '/'],
  ['⁄', '/'],
  ['∶', ':'],
  ['″', "''"],
  ['‴', "'''"],
  ['⁗', "''''"],
  ['′', "'"],
  ['’', "'"],
  ['⅋', '\\&'],
  ['€', '\\text{€}'],
]);

/** Characters without a visible form, such as the invisible multiplication sign. */
const INVISIBLE = /^(?:[\u200b-\u200f\u2060-\u2064\ufeff\u00ad]|[\ufe00-\ufe0f])$/u;

/** Returns the LaTeX code of a character in math mode. Unknown characters are returned unchanged. */
export function writeCharacter(character: string): string {
  const special = SPECIAL.get(character);
  if (special !== undefined) return special;
  const command = COMMANDS.get(character);
  if (command !== undefined) return `\\${command}`;
  return INVISIBLE.test(character) ? '' : character;
}

export const isInvisible = (character: string) => INVISIBLE.test(character);
export const isLargeOperator = (text: string) => LARGE.has(text);
export const isRelation = (text: string) => RELATIONS.has(text) || /^(?:[=<>≝∶:]|:=|==|<=|>=|!=)$/.test(text);
export const isBinary = (text: string) => BINARY.has(text) || /^[-+−–∕*⨯]$/.test(text);

const FUNCTIONS = new Set(
  `arccos arcsin arctan arg cos cosh cot coth csc deg det dim exp gcd hom inf ker lg lim liminf limsup ln log max
  min Pr sec sin sinh sup tan tanh`.split(/\s+/),
);
/** Functions whose subscript stands below the name in a displayed formula. */
const LIMIT_FUNCTIONS = new Set('lim liminf limsup max min sup inf det gcd Pr argmax argmin'.split(' '));
export const isLimitFunction = (name: string) => LIMIT_FUNCTIONS.has(name);

/** Returns the LaTeX code of a function name such as "sin" or "argmax". */
export const writeFunction = (name: string): string =>
  FUNCTIONS.has(name) ? `\\${name}` : `\\operatorname{${[...name].map(writeCharacter).join('')}}`;

export const isKnownFunction = (name: string) => FUNCTIONS.has(name);

const TEXT_SPECIAL: Record<string, string> = {
  '\\': '\\textbackslash{}',
  '^': '\\textasciicircum{}',
  '~': '\\textasciitilde{}',
};

/** Writes ordinary words inside a formula. */
export function writeText(text: string): string {
  const escaped = text
    .replace(/\s+/g, ' ')
    .replace(/[\\^~{}$&#%_]/g, (character) => TEXT_SPECIAL[character] ?? `\\${character}`);
  return `\\text{${escaped}}`;
}
