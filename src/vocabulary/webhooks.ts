/** What receivers of the hosted original's webhooks look for. */
export const ORIGINAL_SIGNATURE_HEADER = 'LC-Signature';
export const ORIGINAL_USER_AGENT = 'llamaindex-webhook-service/1.0';
