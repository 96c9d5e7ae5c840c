import { fetchService, operatorKey } from '../operator.ts';
import { EvaluationFailure } from './evaluate.ts';

/** Sends a request with the operator's key. Throws `EvaluationFailure` if the service rejects it. */
export async function request<Answer>(method: string, path: string, body?: object): Promise<Answer> {
  const response = await fetchService(path, {
    method,
    headers: { authorization: `Bearer ${operatorKey()}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok)
    throw new EvaluationFailure(`${method} ${path}: ${response.status} ${text.slice(0, 500)}`);
  return (text === '' ? undefined : JSON.parse(text)) as Answer;
}
