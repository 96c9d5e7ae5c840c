import type { Reporter, TestCase } from 'vitest/node';

/** Reports tests that passed only on a retry, with the reason of the first failure. */
export class RetriedReporter implements Reporter {
  readonly #retried: string[] = [];

  onTestCaseResult(test: TestCase): void {
    if (!test.diagnostic()?.flaky) return;
    const reason = test.result().errors?.[0]?.message.split('\n')[0] ?? 'for no reason that is known';
    const place = `${test.project.name} ${test.module.relativeModuleId}`;
    this.#retried.push(`  ${place} > ${test.fullName}\n    at first: ${reason}`);
  }

  onTestRunEnd(): void {
    if (this.#retried.length === 0) return;
    console.log(
      `\nPassed when they were run once more: ${this.#retried.length}\n${this.#retried.join('\n')}`,
    );
  }
}
