import type { ParseParameters } from '#src/parse/parameters/parameters.ts';
import { applyPreset } from './presets.ts';

export type Mode = 'text' | 'layout' | 'corrected' | 'vision' | 'agentic' | 'document';

export interface ReadingPlan {
  mode: Mode;
  /** Name of the parse parameter that chose the reading mode. Undefined for the default mode. */
  chosenBy: string | undefined;
  usesVision: boolean;
  /** Whether a second call asks the language model to correct the errors of its first answer. */
  repairs: boolean;
  usesNeighbours: boolean;
  /**
   * Whether a language model reads only pages that meet an `auto_mode` condition. The parser alone reads the
   * other pages.
   */
  isTriggered: boolean;
  /**
   * Name of the language model in the parameters. Undefined if the model of the project or the installation
   * is used.
   */
  modelName: string | undefined;
  /** Parse parameters that have no effect because they request a different mode than the chosen one. */
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

/** Parse parameters that choose a reading mode, from highest to lowest precedence. */
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
  // With `auto_mode`, every page starts with the parser's layout. A parameter that requests this layout is
  // therefore not reported as overruled.
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
