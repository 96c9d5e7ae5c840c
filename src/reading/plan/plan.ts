import type { ParseParameters } from '#src/parse/parameters/parameters.ts';
import { applyPreset } from './presets.ts';

export type Mode = 'text' | 'layout' | 'corrected' | 'vision' | 'agentic' | 'document';

export interface ReadingPlan {
  mode: Mode;
  /** Parameter that chose the mode. Undefined for the default mode. */
  chosenBy: string | undefined;
  /** Whether the model receives a picture of the page. */
  usesVision: boolean;
  /** Whether a second model call corrects the errors of the first answer. */
  repairs: boolean;
  /** Whether the model receives the text of the neighbouring pages. */
  usesNeighbours: boolean;
  /** Whether a model reads only the pages with a trigger. The parser alone reads the other pages. */
  isTriggered: boolean;
  /** Model that the parameters name. Undefined if the model of the project or the installation is used. */
  modelName: string | undefined;
  /** Parameters that request another mode than the chosen one. */
  overruled: string[];
}

type ModeSettings = Pick<ReadingPlan, 'mode' | 'usesVision' | 'repairs' | 'usesNeighbours'>;

const defineMode = (mode: Mode, further: Partial<ModeSettings> = {}): ModeSettings => ({
  ...{ mode, usesVision: false, repairs: false, usesNeighbours: false },
  ...further,
});
const TEXT = defineMode('text');
const LAYOUT = defineMode('layout');
const CORRECTED = defineMode('corrected');
const VISION = defineMode('vision', { usesVision: true });
const AGENTIC = defineMode('agentic', { usesVision: true, repairs: true });
const DOCUMENT = defineMode('document', { usesNeighbours: true });

const PARSE_MODES: Record<NonNullable<ParseParameters['parse_mode']>, ModeSettings> = {
  parse_page_without_llm: LAYOUT,
  parse_page_with_llm: CORRECTED,
  parse_page_with_lvm: VISION,
  parse_page_with_agent: AGENTIC,
  parse_page_with_layout_agent: AGENTIC,
  parse_document_with_llm: DOCUMENT,
  parse_document_with_lvm: { ...DOCUMENT, usesVision: true },
  parse_document_with_agent: { ...DOCUMENT, usesVision: true, repairs: true },
};

const TIERS: Record<string, ModeSettings> = {
  fast: TEXT,
  cost_effective: CORRECTED,
  agentic: AGENTIC,
  agentic_plus: { ...DOCUMENT, usesVision: true, repairs: true },
};

/** Parameters that choose a mode, from highest to lowest precedence. */
const MODE_CHOICES: [
  name: keyof ParseParameters,
  choose: (parameters: ParseParameters) => ModeSettings | undefined,
][] = [
  ['parse_mode', (parameters) => (parameters.parse_mode ? PARSE_MODES[parameters.parse_mode] : undefined)],
  ['tier', (parameters) => (isTier(parameters.tier) ? TIERS[parameters.tier] : undefined)],
  ['fast_mode', (parameters) => (parameters.fast_mode ? TEXT : undefined)],
  ['premium_mode', (parameters) => (parameters.premium_mode ? AGENTIC : undefined)],
  [
    'use_vendor_multimodal_model',
    (parameters) => (parameters.use_vendor_multimodal_model ? VISION : undefined),
  ],
  ['premium_llm_mode', (parameters) => (parameters.premium_llm_mode ? VISION : undefined)],
  ['continuous_mode', (parameters) => (parameters.continuous_mode ? DOCUMENT : undefined)],
];

export const isTier = (tier: string | null | undefined): tier is string =>
  typeof tier === 'string' && Object.hasOwn(TIERS, tier);

export function resolveReadingPlan(given: ParseParameters): ReadingPlan {
  const parameters = applyPreset(given);
  const choices = MODE_CHOICES.flatMap(([name, choose]) => {
    const chosen = choose(parameters);
    return chosen ? [{ name, chosen }] : [];
  });
  const isTriggered = parameters.auto_mode === true;
  const candidates = isTriggered ? choices.filter(({ chosen }) => needsModel(chosen)) : choices;
  const first = candidates[0] ?? (isTriggered ? { name: 'auto_mode', chosen: AGENTIC } : undefined);
  // With triggers, every page starts with the parser's layout, so a request for that layout is not overruled.
  const others = choices.filter((each) => each !== first && !(isTriggered && each.chosen === LAYOUT));
  const overruled = others.filter(({ chosen }) => chosen !== first!.chosen).map(({ name }) => name);
  const chosen = first?.chosen ?? LAYOUT;
  const vendorName = chosen.usesVision ? parameters.vendor_multimodal_model_name : undefined;
  const modelName = parameters.model || vendorName || undefined;
  const isFromPreset = first?.name === 'parse_mode' && !given.parse_mode;
  return {
    ...chosen,
    chosenBy: isFromPreset ? 'preset' : first?.name,
    ...{ isTriggered, modelName, overruled },
  };
}

export const needsModel = ({ mode }: Pick<ReadingPlan, 'mode'>) => mode !== 'text' && mode !== 'layout';
