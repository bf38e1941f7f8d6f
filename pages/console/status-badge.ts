import type { Language } from '../../postal/stationery.ts';
import { type ShownStatus, statusNames } from '../../presenters/status-words.ts';
import { type Html, html } from '../html.ts';

export const statusIn = (language: Language, status: string): string =>
  statusNames[language][status as ShownStatus] ?? status;

const moods: Partial<Record<string, 'good' | 'bad'>> = {
  delivered: 'good',
  returned: 'bad',
  failed: 'bad',
};

export const statusBadge = (language: Language, status: string): Html =>
  html`<span class="badge" data-state="${moods[status] ?? 'idle'}">${statusIn(language, status)}</span>`;
