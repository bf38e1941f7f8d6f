/** Texts about a change of a policy, by language. */
import { numberOf } from '../../../ground/plural.ts';
import type { Language } from '../../../postal/stationery.ts';
import type { PresentedRaise } from '../../../presenters/approval-page.ts';
import { inEachLanguage } from '../../../presenters/in-each-language.ts';
import { labels } from '../../../presenters/labels.ts';
import { limitText } from './rule-text.ts';

/** A sentence for each way in which a policy can allow more. */
type RaiseWords = {
  limit(rule: string, from: string, to: string | undefined): string;
  allow(rule: string): string;
  deny(rule: string): string;
  hold(rule: string): string;
  alert(rule: string): string;
  quorum(from: number, to: number): string;
  hours(from: number, to: number): string;
  approvers: string;
  time_zone: string;
  removal: string;
};

const raiseIn =
  (language: Language, words: RaiseWords) =>
  (raise: PresentedRaise): string => {
    switch (raise.what) {
      case 'limit': {
        const to = raise.to && limitText(raise.to, language);
        return words.limit(raise.rule, limitText(raise.from, language), to);
      }
      case 'allow':
      case 'deny':
      case 'hold':
      case 'alert':
        return words[raise.what](raise.rule);
      case 'quorum':
      case 'hours':
        return words[raise.what](raise.from, raise.to);
      default:
        return words[raise.what];
    }
  };

export const changeWords = inEachLanguage({
  en: {
    raised: 'What it allows beyond the present policy',
    raisesNothing: 'It allows nothing that is denied now.',
    raise: raiseIn('en', {
      limit: (rule, from, to) =>
        to === undefined
          ? `Rule “${rule}”: the limit of ${from} no longer holds for the same letters.`
          : `Rule “${rule}”: the limit changes from ${from} to ${to}.`,
      allow: (rule) => `Rule “${rule}” allows letters that no rule allows now.`,
      deny: (rule) => `Letters that the rule “${rule}” denies now are no longer all denied.`,
      hold: (rule) => `Letters that the rule “${rule}” holds now no longer all wait for approval.`,
      alert: (rule) => `The owner no longer gets all alerts of the rule “${rule}”.`,
      quorum: (from, to) => `Fewer approvers must agree: ${to} instead of ${from}.`,
      hours: (from, to) => `Requests wait longer: ${to} hours instead of ${from}.`,
      approvers: 'Other approvers decide.',
      time_zone: 'The periods of limits begin in another time zone.',
      removal: 'The policy is deleted: all its limits end.',
    }),
    beforeAndAfter: 'The policy before and after',
    before: 'The policy now',
    after: 'The policy after the change',
    noneBefore: 'There is no policy: it limits nothing.',
    noneAfter: 'The policy is deleted: it limits nothing any more.',
    timeZone: 'Time zone',
    approvals: labels.approvals.en,
    /** `approvers` is empty if the owner of the account decides. */
    approvalsOf: (quorum: number, approvers: readonly string[], hours: number) =>
      `${quorum} of ${approvers.length === 0 ? 'the owners of the account' : approvers.join(', ')}, within ${numberOf(hours, 'hour')}`,
  },
  de: {
    raised: 'Was dadurch zusätzlich erlaubt ist',
    raisesNothing: 'Sie erlaubt nichts, was jetzt verboten ist.',
    raise: raiseIn('de', {
      limit: (rule, from, to) =>
        to === undefined
          ? `Regel „${rule}“: Die Grenze von ${from} gilt nicht mehr für dieselben Briefe.`
          : `Regel „${rule}“: Die Grenze ändert sich von ${from} auf ${to}.`,
      allow: (rule) => `Regel „${rule}“ erlaubt Briefe, die jetzt keine Regel erlaubt.`,
      deny: (rule) =>
        `Briefe, die Regel „${rule}“ jetzt ablehnt, werden nicht mehr alle abgelehnt.`,
      hold: (rule) =>
        `Briefe, für die Regel „${rule}“ jetzt eine Freigabe verlangt, warten nicht mehr alle.`,
      alert: (rule) => `Der Inhaber erhält nicht mehr alle Hinweise der Regel „${rule}“.`,
      quorum: (from, to) => `Weniger Personen müssen zustimmen: ${to} statt ${from}.`,
      hours: (from, to) => `Anfragen warten länger: ${to} Stunden statt ${from}.`,
      approvers: 'Andere Personen entscheiden.',
      time_zone: 'Die Zeiträume der Grenzen beginnen in einer anderen Zeitzone.',
      removal: 'Die Regeln werden gelöscht: Alle ihre Grenzen enden.',
    }),
    beforeAndAfter: 'Die Regeln vorher und nachher',
    before: 'Die Regeln jetzt',
    after: 'Die Regeln nach der Änderung',
    noneBefore: 'Es gibt keine Regeln: Nichts ist begrenzt.',
    noneAfter: 'Die Regeln werden gelöscht: Sie begrenzen nichts mehr.',
    timeZone: 'Zeitzone',
    approvals: labels.approvals.de,
    approvalsOf: (quorum, approvers, hours) =>
      `${quorum} von ${approvers.length === 0 ? 'den Inhabern des Kontos' : approvers.join(', ')}, innerhalb von ${numberOf(hours, 'Stunde', 'Stunden')}`,
  },
  fr: {
    raised: 'Ce qu’elle permet de plus que maintenant',
    raisesNothing: 'Elle ne permet rien de ce qui est refusé maintenant.',
    raise: raiseIn('fr', {
      limit: (rule, from, to) =>
        to === undefined
          ? `Règle « ${rule} » : la limite de ${from} ne vaut plus pour les mêmes lettres.`
          : `Règle « ${rule} » : la limite passe de ${from} à ${to}.`,
      allow: (rule) =>
        `La règle « ${rule} » permet des lettres qu’aucune règle ne permet maintenant.`,
      deny: (rule) =>
        `Les lettres que la règle « ${rule} » refuse maintenant ne sont plus toutes refusées.`,
      hold: (rule) =>
        `Les lettres que la règle « ${rule} » retient maintenant n’attendent plus toutes une approbation.`,
      alert: (rule) => `Le titulaire ne reçoit plus toutes les alertes de la règle « ${rule} ».`,
      quorum: (from, to) => `Moins de personnes doivent approuver : ${to} au lieu de ${from}.`,
      hours: (from, to) =>
        `Les demandes attendent plus longtemps : ${to} heures au lieu de ${from}.`,
      approvers: 'D’autres personnes décident.',
      time_zone: 'Les périodes des limites commencent dans un autre fuseau horaire.',
      removal: 'Les règles sont supprimées : toutes leurs limites prennent fin.',
    }),
    beforeAndAfter: 'Les règles avant et après',
    before: 'Les règles maintenant',
    after: 'Les règles après la modification',
    noneBefore: 'Il n’y a pas de règles : rien n’est limité.',
    noneAfter: 'Les règles sont supprimées : elles ne limitent plus rien.',
    timeZone: 'Fuseau horaire',
    approvals: labels.approvals.fr,
    approvalsOf: (quorum, approvers, hours) =>
      `${quorum} parmi ${approvers.length === 0 ? 'les titulaires du compte' : approvers.join(', ')}, dans un délai de ${numberOf(hours, 'heure')}`,
  },
});
