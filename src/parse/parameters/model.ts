import { z } from 'zod';
import { getErrorMessage } from '#src/lib/errors.ts';
import { compilePattern } from '#src/lib/text/pattern.ts';
import { checkedText, flag, instruction, oneOf, parameter, secretText, text } from './define.ts';
import { findRuleErrors, MAX_TEXT, PARSE_MODES } from './page-rules.ts';

function explainPattern(source: string): string | undefined {
  try {
    compilePattern(source);
    return undefined;
  } catch (error) {
    return getErrorMessage(error);
  }
}

/**
 * Returns whether the text is a URL, or a host and port without a scheme, as model servers and proxies are
 * often named.
 */
export const isAddress = (given: string) => URL.canParse(given) || URL.canParse(`http://${given}`);

const isModelAddress = (given: string) =>
  given.length <= 2_000 && isAddress(given) && (!given.includes('://') || /^https?:/i.test(given));

/**
 * Parameters that determine which pages a language model reads, how it reads them, and which model is used.
 */
export const modelParameters = {
  parse_mode: oneOf(PARSE_MODES, {
    effect: 'model',
    default: '`parse_page_without_llm`',
    description:
      'How pages are read, see [page reading](page-reading.md). `parse_page_without_llm` reads them without a model.',
  }),
  tier: text({
    effect: 'model',
    description:
      '`fast`, `cost_effective`, `agentic` or `agentic_plus`: chooses the mode if `parse_mode` is absent.',
  }),
  preset: text({
    description:
      'Name of a set of parameters, see [presets](presets.md). Parameters that are given take precedence.',
  }),
  version: text({
    default: '`latest`',
    description:
      '`latest` or a version that `GET /api/v2/parse/versions` lists. All versions are read by the newest parser. The metadata of a page names the version (`parser_version`), which for `latest` is the newest one on the day of the job. An unknown version causes a warning, and the latest version is used.',
  }),
  model: text({
    effect: 'model',
    description:
      'Name of a language model of the installation, which reads instead of the model of the project.',
  }),
  auto_mode: flag({
    effect: 'model',
    description:
      'The model reads only pages to which a trigger applies, and pages that OCR could not read or read with low confidence. The parser reads the others. Reads as `parse_page_with_agent` unless another mode with a model is chosen.',
  }),
  auto_mode_configuration_json: parameter(
    'JSON in a string',
    z.string().superRefine((given, context) => {
      if (given === '') return;
      for (const issue of findRuleErrors(given)) context.addIssue({ code: 'custom', ...issue });
    }),
    {
      effect: 'model',
      description:
        'Rules as JSON, such as `[{"table_in_page": true, "parsing_conf": {"tier": "agentic"}}]`. The first rule that applies to a page decides how the page is read, see [page reading](page-reading.md#rules).',
    },
  ),
  auto_mode_trigger_on_image_in_page: flag({
    effect: 'model',
    description: 'With `auto_mode`: triggers on pages with a picture.',
  }),
  auto_mode_trigger_on_regexp_in_page: checkedText('regular expression (RE2)', explainPattern, {
    effect: 'model',
    description:
      'With `auto_mode`: triggers on pages whose text matches this regular expression in RE2 syntax.',
  }),
  auto_mode_trigger_on_table_in_page: flag({
    effect: 'model',
    description: 'With `auto_mode`: triggers on pages in which the parser found a table.',
  }),
  auto_mode_trigger_on_text_in_page: text({
    effect: 'model',
    description: 'With `auto_mode`: triggers on pages with this text, in upper or lower case.',
  }),
  enable_cost_optimizer: flag({
    effect: 'model',
    description:
      'The parser, not the model, reads pages of plain text in one column without tables, pictures, code and OCR.',
  }),
  premium_mode: flag({ effect: 'model', description: 'Reads as `parse_page_with_agent` does.' }),
  premium_llm_mode: flag({ effect: 'model', description: 'Reads as `parse_page_with_lvm` does.' }),
  use_vendor_multimodal_model: flag({ effect: 'model', description: 'Reads as `parse_page_with_lvm` does.' }),
  continuous_mode: flag({ effect: 'model', description: 'Reads as `parse_document_with_llm` does.' }),
  layout_aware: flag({
    effect: 'model',
    description:
      'The model receives the blocks that the parser found, with their kinds, order and boxes, and says which of them it writes. Its text gets their boxes.',
  }),
  extract_charts: flag({
    effect: 'model',
    description: 'In modes that look at pictures: the model writes charts as tables together with the page.',
  }),
  specialized_chart_parsing_efficient: flag({ effect: 'model', description: 'Same as `extract_charts`.' }),
  specialized_chart_parsing_plus: flag({
    effect: 'model',
    description:
      'In modes that look at pictures: the model reads each picture of a page on its own and replaces charts by tables. A chart whose table contradicts its printed labels is read again.',
  }),
  specialized_chart_parsing_agentic: flag({
    effect: 'model',
    description:
      'As `specialized_chart_parsing_plus`; the model also compares each table with its picture and corrects it.',
  }),
  specialized_image_parsing: flag({
    effect: 'model',
    description:
      'In modes that look at pictures: the model describes each picture of a page, with the words in it. The description becomes the text of the image in the Markdown.',
  }),
  parsing_instruction: instruction({
    description: 'Instruction about the content; about the form if `is_formatting_instruction` is `true`.',
  }),
  is_formatting_instruction: flag({
    effect: 'model',
    description: '`true`: `parsing_instruction` replaces the rules for the form of the Markdown.',
  }),
  formatting_instruction: instruction({ description: 'Replaces the rules for the form of the Markdown.' }),
  complemental_formatting_instruction: instruction({
    description: 'Added to the rules for the form of the Markdown.',
  }),
  content_guideline_instruction: instruction({ description: 'Added to the rules for the content.' }),
  system_prompt: instruction({ description: 'Replaces the first sentence of the system prompt.' }),
  system_prompt_append: instruction({ description: 'Added to the end of the system prompt.' }),
  user_prompt: instruction({ description: 'Replaces the task that accompanies the page.' }),
  hostedllm_endpoint: checkedText(
    'URL',
    (url) => (isModelAddress(url) ? undefined : 'must be an http(s) URL'),
    {
      effect: 'model',
      description:
        'Address of your own model: a URL, or host and port. It reads the pages, see [page reading](page-reading.md).',
    },
  ),
  hostedllm_key: secretText(MAX_TEXT, {
    effect: 'model',
    description: 'API key for `hostedllm_endpoint`. Encrypted at rest and masked in answers.',
  }),
  hostedllm_deployment_name: text({
    effect: 'model',
    description: 'Deployment at `hostedllm_endpoint` that reads the pages.',
  }),
  hostedllm_api_version: text({
    effect: 'model',
    description: 'API version of `hostedllm_endpoint`, for servers that have deployments.',
  }),
  premium_llm_api_key: secretText(MAX_TEXT, {
    effect: 'model',
    description:
      'API key for the vendor of `model`, in all modes that call a model. Encrypted at rest and masked in answers.',
  }),
  vendor_multimodal_api_key: secretText(MAX_TEXT, {
    effect: 'model',
    description:
      'API key for the vendor of `vendor_multimodal_model_name` or `model`, in modes that look at pictures. Encrypted at rest and masked in answers.',
  }),
  vendor_multimodal_model_name: text({
    effect: 'model',
    description: 'As `model`, in modes that look at pictures; `model` takes precedence.',
  }),
};
