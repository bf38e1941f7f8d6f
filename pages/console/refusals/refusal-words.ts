/**
 * Why a form is refused, by the code of the error and by language. A list goes from the most exact sentence to the
 * most general one: the first whose `{name:kind}` are all known is shown, see `say.ts`.
 */
import { inEachLanguage } from '../../../presenters/in-each-language.ts';

const en = {
  signedOut: 'You are signed out. Sign in again.',
  unread: 'The form could not be read. Open the page again and fill in the form once more.',
  ucan: 'The UCAN of this session does not allow this.',
  payment: 'The payment was not accepted.',
  gone: 'There is no such thing here. It may have been removed: open the page again.',
  gonePart: 'This place in the list no longer exists. Open the list again.',
  again: 'Something changed at the same moment. Check the page, and repeat what you wanted to do.',
  busy: [
    'The service is busy. Try again in {retry_after:wait}.',
    'The service is busy. Try again.',
  ],
  down: 'The service cannot do this now. Try again in a minute; the form counts once.',
  late: 'The agreed price is not valid for this letter. Send the letter without it.',
};

const de: typeof en = {
  signedOut: 'Sie sind abgemeldet. Melden Sie sich wieder an.',
  unread:
    'Das Formular konnte nicht gelesen werden. Öffnen Sie die Seite neu, und füllen Sie es noch einmal aus.',
  ucan: 'Der UCAN dieser Sitzung erlaubt das nicht.',
  payment: 'Die Zahlung wurde nicht angenommen.',
  gone: 'Das gibt es hier nicht. Vielleicht wurde es entfernt: Öffnen Sie die Seite neu.',
  gonePart: 'Diese Stelle der Liste gibt es nicht mehr. Öffnen Sie die Liste neu.',
  again:
    'Im selben Augenblick hat sich etwas geändert. Prüfen Sie die Seite, und wiederholen Sie, was Sie tun wollten.',
  busy: [
    'Der Dienst ist ausgelastet. Versuchen Sie es in {retry_after:wait} noch einmal.',
    'Der Dienst ist ausgelastet. Versuchen Sie es noch einmal.',
  ],
  down: 'Der Dienst kann das gerade nicht ausführen. Versuchen Sie es in einer Minute noch einmal; das Formular zählt nur einmal.',
  late: 'Der vereinbarte Preis gilt nicht für diesen Brief. Senden Sie den Brief ohne ihn.',
};

const fr: typeof en = {
  signedOut: 'Votre session a pris fin. Connectez-vous de nouveau.',
  unread:
    'Le formulaire n’a pas pu être lu. Ouvrez de nouveau la page et remplissez-le encore une fois.',
  ucan: 'L’UCAN de cette session ne le permet pas.',
  payment: 'Le paiement n’a pas été accepté.',
  gone: 'Cela n’existe pas ici, ou n’existe plus : ouvrez de nouveau la page.',
  gonePart: 'Cet endroit de la liste n’existe plus. Ouvrez de nouveau la liste.',
  again:
    'Quelque chose a changé au même moment. Vérifiez la page et refaites ce que vous vouliez faire.',
  busy: [
    'Le service est occupé. Réessayez dans {retry_after:wait}.',
    'Le service est occupé. Réessayez.',
  ],
  down: 'Le service ne peut pas le faire en ce moment. Réessayez dans une minute ; le formulaire ne compte qu’une fois.',
  late: 'Le prix convenu ne vaut pas pour cette lettre. Envoyez la lettre sans lui.',
};

export const refusalWords = inEachLanguage({
  en: {
    // The session and its rights
    authentication_required: en.signedOut,
    invalid_api_key: en.signedOut,
    sign_in_invalid: en.signedOut,
    ucan_invalid: en.ucan,
    missing_proofs: en.ucan,
    caveat_not_met: en.ucan,
    scope_insufficient:
      'The key of this session may not do this, or ends too early for it. Sign in with another key.',
    policy_protected:
      'The key of this session has limits of its own, so it may not do this. Sign in with a key without limits that may do everything.',
    key_unconfirmed:
      'The key of this session is older than the confirmation of the e-mail address, so it may only read. Sign in with a newer key.',
    test_mode_only: 'Only a test account can do this.',
    frozen:
      'The account is frozen, or the key of this session, or a key or UCAN that it comes from. Reading and cancelling letters go on. The page “Limits” unfreezes it.',
    account_blocked:
      'The operator of the service has blocked the account. It can only read, cancel, delete and revoke. Ask the operator.',
    account_closing:
      'The account is going to be erased, so it sends and makes nothing. Reading and cancelling letters go on. To keep the account, open “Your data”.',
    // The form itself
    invalid_json: en.unread,
    invalid_form: en.unread,
    duplicate_name: en.unread,
    invalid_encoding: en.unread,
    invalid_header: en.unread,
    not_acceptable: en.unread,
    unsupported_media_type: en.unread,
    method_not_allowed: en.unread,
    idempotency_key_reused:
      'This form was sent before with other content. Open the page again to send it anew. Check first what the form did before: it would be done in addition.',
    secret_not_repeated:
      'This was done already, and its secret is not shown again. Revoke what was made, and make a new one.',
    idempotency_in_progress:
      'The form that you sent before is still being worked on. Send it again.',
    request_timeout: 'The form took too long to arrive. Send it again.',
    body_too_large: 'The form is too large. Shorten the text, or choose a smaller file.',
    event_too_large: 'The form has too much text. Shorten the longest fields.',
    validation_failed: 'Not everything in the form is right. Correct it and send the form again.',
    conflict: en.again,
    version_mismatch:
      'This was changed after the page was shown. Check it, and repeat what you wanted to do.',
    // Limits
    rate_limited: [
      'Too many requests. Try again in {retry_after:wait}.',
      'Too many requests. Try again in a moment.',
    ],
    quota_exceeded: [
      'The account may not do this so often. Try again in {retry_after:wait}, or ask the operator of the service for more.',
      'The account may not have or do more of this. Ask the operator of the service.',
    ],
    key_limit_reached: 'The account has too many keys. Revoke one that you no longer use.',
    freeze_limit_reached:
      'Too many keys and UCANs are frozen already. Revoke this one, or freeze the account.',
    policy_limit_reached:
      'The account has too many policies, or changes of them. Remove one first.',
    topup_limit_reached: [
      'Too many top-ups wait for their payment. Pay one of them, or wait until {retry_at:moment}.',
      'Too many top-ups wait for their payment. Pay one of them, or wait.',
    ],
    audit_link_limit_reached:
      'The letter has too many links already. Revoke one that you no longer need.',
    // Letters
    address_invalid: 'A letter cannot be delivered to an address as it is written.',
    service_not_available:
      'The service cannot carry this letter. Choose another one, or “The cheapest that fits”.',
    content_not_printable: 'The content cannot be printed as it is.',
    document_not_supported: 'The PDF cannot be accepted as it is.',
    too_many_pages: [
      'The letter has {pages:number} pages, more than can be sent. Shorten it, print on both sides, or choose another service.',
      'The letter has too many pages. Shorten it, print on both sides, or choose another service.',
    ],
    html_unavailable: 'HTML cannot be printed now. Send the letter as text or as a PDF.',
    exchange_rate_stale:
      'Prices cannot be calculated now, because an exchange rate is too old. The operator of the service must update it.',
    quote_invalid: 'The price is not valid for this letter. Check the price again.',
    quote_expired: 'The price has expired. Check the price again.',
    quote_mismatch: 'The letter changed since its price was shown. Check the price again.',
    commitment_consumed: en.late,
    commitment_expired: en.late,
    commitment_mismatch: en.late,
    commitment_not_found: en.late,
    commitment_payment_mismatch: en.late,
    max_total_exceeded: [
      'The letter now costs {total:money}, which is more than the page showed. Check the price, and send it again.',
      'The letter now costs more than the page showed. Check the price, and send it again.',
    ],
    insufficient_funds: [
      'The change costs {additional:money} more, but the wallet has only {available:money}. Top up the wallet and change the letter again.',
      'The letter costs {total:money}, but the wallet has only {available:money}. Top up the wallet and send again.',
      'The wallet does not cover the letter. Top up the wallet and send again.',
    ],
    letter_not_found: en.gone,
    letter_deleted:
      'The personal data of the letter were erased. Its history and its proof remain.',
    letter_not_cancellable: [
      'The letter can no longer be cancelled. Its state: {letter_status:status}.',
      'The letter can no longer be cancelled.',
    ],
    letter_not_updatable: [
      'The letter can no longer be changed. Its state: {letter_status:status}.',
      'The letter can no longer be changed.',
    ],
    letter_not_deletable: [
      'The letter cannot be deleted now. Its state: {letter_status:status}.',
      'The letter cannot be deleted now.',
    ],
    letter_not_sendable: 'The letter was sent already, or is no longer a draft.',
    // Policies and approvals
    policy_denied: [
      'The rule “{rule}” allows {limit:limit} (used: {usage:usage}). This letter is not allowed before {resets_at:moment}.',
      'The rule “{rule}” allows {limit:limit} (used: {usage:usage}). This letter is not allowed.',
      'The rule “{rule}” allows {limit:limit}, so it does not allow this letter before {resets_at:moment}.',
      'The rule “{rule}” allows {limit:limit}, so it does not allow this letter.',
      'The rule “{rule}” does not allow this letter.',
      'No rule of the policy allows this letter.',
    ],
    approval_required:
      'A rule lets the changed letter wait for approval. So it stays as it is. Cancel it, and send a new one.',
    approval_pending:
      'It waits for approval already. Wait for the decision, or cancel what waits and ask again.',
    approval_over: 'It was decided already, or the time to decide is over.',
    approver_is_requester: 'You asked for it yourself. Another approver must decide.',
    approver_not_allowed:
      'You may not decide on this, or have approved it already. Ask another approver.',
    key_revoked: 'The key or UCAN that asked for it was revoked. Ask again with another one.',
    policy_not_found: 'There is no policy any more. Open the page again.',
    approval_not_found: en.gone,
    // Keys, webhooks, money, contracts
    last_full_key:
      'This is the last key that may do everything. Make another one first, then revoke this one.',
    key_not_found: en.gone,
    ucan_not_found: en.gone,
    revocation_not_allowed:
      'This session may not revoke the UCAN. Sign in with a key that may do everything.',
    url_not_allowed: 'This address cannot be used. Enter a public address that begins with https.',
    webhook_not_set: 'There is no webhook. Enter its address and save it first.',
    notification_not_found: en.gone,
    audit_link_not_found: en.gone,
    payment_method_unavailable: 'This way to pay is not set up here. Choose another one.',
    topup_not_found: en.gone,
    contract_needs_history: [
      'An account can commit only to as many letters as it sent before: {printed_before:number} were printed in as long a time, and you asked for {committed_units:number}.',
      'An account can commit only to as many letters as it sent before.',
    ],
    contract_overlaps: [
      'The account already has a contract for that time, until {ends_at:moment}. Start the next one then.',
      'The account already has a contract for that time.',
    ],
    contract_not_found: en.gone,
    // Data
    account_not_found: en.gone,
    closure_code_required: 'Enter the code from the e-mail.',
    closure_code_invalid: 'The code is wrong, or has expired. Ask for a new one by e-mail.',
    export_in_progress: 'Another export is being made. Wait until it is ready.',
    export_not_ready: 'The export is not ready yet. Try again in a moment.',
    export_not_found: en.gone,
    statement_too_long: 'The statement is too long. Choose fewer days.',
    audit_too_long: 'The history of the letter is too long for one file.',
    invalid_cursor: en.gonePart,
    position_beyond_log: en.down,
    not_found: en.gone,
    // Payments of programs
    payment_required: en.payment,
    payment_invalid: en.payment,
    payment_malformed: en.payment,
    payment_already_used: en.payment,
    payment_pending: en.payment,
    payment_not_taken: en.payment,
    payment_unavailable: en.payment,
    // The service
    overloaded: en.busy,
    internal_error: en.down,
    store_unavailable: en.down,
    read_model_behind: en.down,
    storage_full: 'The service is out of storage. Try again later; its operator must free some.',
  },
  de: {
    authentication_required: de.signedOut,
    invalid_api_key: de.signedOut,
    sign_in_invalid: de.signedOut,
    ucan_invalid: de.ucan,
    missing_proofs: de.ucan,
    caveat_not_met: de.ucan,
    scope_insufficient:
      'Der Schlüssel dieser Sitzung darf das nicht, oder er endet dafür zu früh. Melden Sie sich mit einem anderen Schlüssel an.',
    policy_protected:
      'Für den Schlüssel dieser Sitzung gelten eigene Regeln, darum darf er das nicht. Melden Sie sich mit einem Schlüssel ohne Regeln an, der alles darf.',
    key_unconfirmed:
      'Der Schlüssel dieser Sitzung ist älter als die Bestätigung der E-Mail-Adresse, darum darf er nur lesen. Melden Sie sich mit einem neueren Schlüssel an.',
    test_mode_only: 'Das kann nur ein Testkonto.',
    frozen:
      'Das Konto ist eingefroren, oder der Schlüssel dieser Sitzung, oder ein Schlüssel oder UCAN, mit dem er angelegt wurde. Lesen und Stornieren geht weiter. Auf der Seite „Grenzen“ heben Sie das Einfrieren auf.',
    account_blocked:
      'Der Betreiber des Dienstes hat das Konto gesperrt. Es kann nur lesen, stornieren, löschen und widerrufen. Wenden Sie sich an den Betreiber.',
    account_closing:
      'Das Konto wird gelöscht, darum sendet und erzeugt es nichts mehr. Lesen und Stornieren geht weiter. Um das Konto zu behalten, öffnen Sie „Ihre Daten“.',
    invalid_json: de.unread,
    invalid_form: de.unread,
    duplicate_name: de.unread,
    invalid_encoding: de.unread,
    invalid_header: de.unread,
    not_acceptable: de.unread,
    unsupported_media_type: de.unread,
    method_not_allowed: de.unread,
    idempotency_key_reused:
      'Dieses Formular wurde schon mit anderem Inhalt gesendet. Öffnen Sie die Seite neu, um es noch einmal zu senden. Prüfen Sie zuerst, was es schon bewirkt hat: Es würde zusätzlich ausgeführt.',
    secret_not_repeated:
      'Das wurde schon ausgeführt, und das Geheimnis wird nicht noch einmal gezeigt. Widerrufen Sie, was entstanden ist, und legen Sie etwas Neues an.',
    idempotency_in_progress:
      'Das Formular, das Sie vorher gesendet haben, wird noch bearbeitet. Senden Sie es noch einmal.',
    request_timeout: 'Das Formular ist zu langsam angekommen. Senden Sie es noch einmal.',
    body_too_large:
      'Das Formular ist zu groß. Kürzen Sie den Text, oder wählen Sie eine kleinere Datei.',
    event_too_large: 'Das Formular hat zu viel Text. Kürzen Sie die längsten Felder.',
    validation_failed:
      'Nicht alles im Formular stimmt. Berichtigen Sie es, und senden Sie das Formular noch einmal.',
    conflict: de.again,
    version_mismatch:
      'Das wurde geändert, nachdem die Seite gezeigt wurde. Prüfen Sie es, und wiederholen Sie, was Sie tun wollten.',
    rate_limited: [
      'Zu viele Anfragen. Versuchen Sie es in {retry_after:wait} noch einmal.',
      'Zu viele Anfragen. Versuchen Sie es gleich noch einmal.',
    ],
    quota_exceeded: [
      'So oft darf das Konto das nicht tun. Versuchen Sie es in {retry_after:wait} noch einmal, oder bitten Sie den Betreiber des Dienstes um mehr.',
      'Mehr davon darf das Konto nicht haben oder tun. Wenden Sie sich an den Betreiber des Dienstes.',
    ],
    key_limit_reached:
      'Das Konto hat zu viele Schlüssel. Widerrufen Sie einen, den Sie nicht mehr brauchen.',
    freeze_limit_reached:
      'Es sind schon zu viele Schlüssel und UCANs eingefroren. Widerrufen Sie diesen Schlüssel, oder frieren Sie das Konto ein.',
    policy_limit_reached:
      'Das Konto hat zu viele Regelwerke oder zu viele Änderungen daran. Entfernen Sie zuerst etwas.',
    topup_limit_reached: [
      'Zu viele Aufladungen warten auf ihre Zahlung. Bezahlen Sie eine davon, oder warten Sie bis {retry_at:moment}.',
      'Zu viele Aufladungen warten auf ihre Zahlung. Bezahlen Sie eine davon, oder warten Sie.',
    ],
    audit_link_limit_reached:
      'Der Brief hat schon zu viele Links. Widerrufen Sie einen, den Sie nicht mehr brauchen.',
    address_invalid: 'An eine Adresse kann, so wie sie geschrieben ist, nicht zugestellt werden.',
    service_not_available:
      'Die Versandart kann diesen Brief nicht befördern. Wählen Sie eine andere oder „Die günstigste, die passt“.',
    content_not_printable: 'Der Inhalt kann so nicht gedruckt werden.',
    document_not_supported: 'Die PDF-Datei kann so nicht angenommen werden.',
    too_many_pages: [
      'Der Brief hat {pages:number} Seiten, mehr als gesendet werden können. Kürzen Sie ihn, drucken Sie beidseitig, oder wählen Sie eine andere Versandart.',
      'Der Brief hat zu viele Seiten. Kürzen Sie ihn, drucken Sie beidseitig, oder wählen Sie eine andere Versandart.',
    ],
    html_unavailable:
      'HTML kann gerade nicht gedruckt werden. Senden Sie den Brief als Text oder als PDF-Datei.',
    exchange_rate_stale:
      'Preise können gerade nicht berechnet werden, weil ein Wechselkurs zu alt ist. Der Betreiber des Dienstes muss ihn erneuern.',
    quote_invalid: 'Der Preis gilt nicht für diesen Brief. Prüfen Sie den Preis noch einmal.',
    quote_expired: 'Der Preis ist abgelaufen. Prüfen Sie den Preis noch einmal.',
    quote_mismatch:
      'Der Brief hat sich geändert, seit sein Preis gezeigt wurde. Prüfen Sie den Preis noch einmal.',
    commitment_consumed: de.late,
    commitment_expired: de.late,
    commitment_mismatch: de.late,
    commitment_not_found: de.late,
    commitment_payment_mismatch: de.late,
    max_total_exceeded: [
      'Der Brief kostet jetzt {total:money}, mehr als die Seite gezeigt hat. Prüfen Sie den Preis, und senden Sie ihn noch einmal.',
      'Der Brief kostet jetzt mehr, als die Seite gezeigt hat. Prüfen Sie den Preis, und senden Sie ihn noch einmal.',
    ],
    insufficient_funds: [
      'Die Änderung kostet {additional:money} mehr, das Guthaben beträgt aber nur {available:money}. Laden Sie das Guthaben auf, und ändern Sie den Brief noch einmal.',
      'Der Brief kostet {total:money}, das Guthaben beträgt aber nur {available:money}. Laden Sie das Guthaben auf, und senden Sie noch einmal.',
      'Das Guthaben reicht für den Brief nicht aus. Laden Sie das Guthaben auf, und senden Sie noch einmal.',
    ],
    letter_not_found: de.gone,
    letter_deleted:
      'Die personenbezogenen Daten des Briefes wurden gelöscht. Sein Verlauf und sein Nachweis bleiben.',
    letter_not_cancellable: [
      'Der Brief kann nicht mehr storniert werden. Sein Stand: {letter_status:status}.',
      'Der Brief kann nicht mehr storniert werden.',
    ],
    letter_not_updatable: [
      'Der Brief kann nicht mehr geändert werden. Sein Stand: {letter_status:status}.',
      'Der Brief kann nicht mehr geändert werden.',
    ],
    letter_not_deletable: [
      'Der Brief kann jetzt nicht gelöscht werden. Sein Stand: {letter_status:status}.',
      'Der Brief kann jetzt nicht gelöscht werden.',
    ],
    letter_not_sendable: 'Der Brief wurde schon gesendet, oder er ist kein Entwurf mehr.',
    policy_denied: [
      'Die Regel „{rule}“ erlaubt {limit:limit} (verbraucht: {usage:usage}). Dieser Brief ist nicht vor {resets_at:moment} erlaubt.',
      'Die Regel „{rule}“ erlaubt {limit:limit} (verbraucht: {usage:usage}). Dieser Brief ist nicht erlaubt.',
      'Die Regel „{rule}“ erlaubt {limit:limit}, darum diesen Brief nicht vor {resets_at:moment}.',
      'Die Regel „{rule}“ erlaubt {limit:limit}, darum nicht diesen Brief.',
      'Die Regel „{rule}“ erlaubt diesen Brief nicht.',
      'Keine Regel erlaubt diesen Brief.',
    ],
    approval_required:
      'Nach einer Regel wartet der geänderte Brief auf Freigabe. Darum bleibt er, wie er ist. Brechen Sie ihn ab, und senden Sie einen neuen.',
    approval_pending:
      'Das wartet schon auf Freigabe. Warten Sie auf die Entscheidung, oder brechen Sie ab, was wartet, und fragen Sie noch einmal.',
    approval_over: 'Darüber wurde schon entschieden, oder die Frist ist abgelaufen.',
    approver_is_requester: 'Sie haben selbst darum gebeten. Eine andere Person muss entscheiden.',
    approver_not_allowed:
      'Sie dürfen darüber nicht entscheiden, oder Sie haben es schon freigegeben. Bitten Sie eine andere Person.',
    key_revoked:
      'Der Schlüssel oder der UCAN, mit dem darum gebeten wurde, ist widerrufen. Bitten Sie mit einem anderen Schlüssel noch einmal darum.',
    policy_not_found: 'Es gibt keine Regeln mehr. Öffnen Sie die Seite neu.',
    approval_not_found: de.gone,
    last_full_key:
      'Das ist der letzte Schlüssel, der alles darf. Legen Sie zuerst einen anderen an, und widerrufen Sie dann diesen.',
    key_not_found: de.gone,
    ucan_not_found: de.gone,
    revocation_not_allowed:
      'Diese Sitzung darf den UCAN nicht widerrufen. Melden Sie sich mit einem Schlüssel an, der alles darf.',
    url_not_allowed:
      'Diese Adresse kann nicht verwendet werden. Geben Sie eine öffentliche Adresse ein, die mit https beginnt.',
    webhook_not_set:
      'Es gibt keinen Webhook. Geben Sie zuerst seine Adresse ein, und speichern Sie sie.',
    notification_not_found: de.gone,
    audit_link_not_found: de.gone,
    payment_method_unavailable:
      'Diese Zahlungsart ist hier nicht eingerichtet. Wählen Sie eine andere.',
    topup_not_found: de.gone,
    contract_needs_history: [
      'Ein Konto kann sich nur zu so vielen Briefen verpflichten, wie es schon gesendet hat: In ebenso langer Zeit wurden {printed_before:number} gedruckt, gewünscht sind {committed_units:number}.',
      'Ein Konto kann sich nur zu so vielen Briefen verpflichten, wie es schon gesendet hat.',
    ],
    contract_overlaps: [
      'Das Konto hat für diese Zeit schon einen Vertrag, bis {ends_at:moment}. Beginnen Sie den nächsten dann.',
      'Das Konto hat für diese Zeit schon einen Vertrag.',
    ],
    contract_not_found: de.gone,
    account_not_found: de.gone,
    closure_code_required: 'Geben Sie den Code aus der E-Mail ein.',
    closure_code_invalid: 'Der Code ist falsch oder abgelaufen. Fordern Sie einen neuen an.',
    export_in_progress: 'Ein anderer Export wird gerade erstellt. Warten Sie, bis er fertig ist.',
    export_not_ready: 'Der Export ist noch nicht fertig. Versuchen Sie es gleich noch einmal.',
    export_not_found: de.gone,
    statement_too_long: 'Der Kontoauszug ist zu lang. Wählen Sie weniger Tage.',
    audit_too_long: 'Der Verlauf des Briefes ist zu lang für eine Datei.',
    invalid_cursor: de.gonePart,
    position_beyond_log: de.down,
    not_found: de.gone,
    payment_required: de.payment,
    payment_invalid: de.payment,
    payment_malformed: de.payment,
    payment_already_used: de.payment,
    payment_pending: de.payment,
    payment_not_taken: de.payment,
    payment_unavailable: de.payment,
    overloaded: de.busy,
    internal_error: de.down,
    store_unavailable: de.down,
    read_model_behind: de.down,
    storage_full:
      'Der Dienst hat keinen Speicher mehr. Versuchen Sie es später noch einmal; sein Betreiber muss Platz schaffen.',
  },
  fr: {
    authentication_required: fr.signedOut,
    invalid_api_key: fr.signedOut,
    sign_in_invalid: fr.signedOut,
    ucan_invalid: fr.ucan,
    missing_proofs: fr.ucan,
    caveat_not_met: fr.ucan,
    scope_insufficient:
      'La clé de cette session n’en a pas le droit, ou prend fin trop tôt. Connectez-vous avec une autre clé.',
    policy_protected:
      'La clé de cette session a ses propres règles, elle n’en a donc pas le droit. Connectez-vous avec une clé sans règles qui peut tout faire.',
    key_unconfirmed:
      'La clé de cette session est plus ancienne que la confirmation de l’adresse e-mail, elle peut donc seulement lire. Connectez-vous avec une clé plus récente.',
    test_mode_only: 'Seul un compte de test peut le faire.',
    frozen:
      'Le compte est gelé, ou la clé de cette session, ou une clé ou un UCAN dont elle provient. La lecture et l’annulation restent possibles. La page « Limites » lève le gel.',
    account_blocked:
      'L’exploitant du service a bloqué le compte. Il peut seulement lire, annuler, supprimer et révoquer. Adressez-vous à l’exploitant.',
    account_closing:
      'Le compte va être effacé : il n’envoie et ne crée plus rien. La lecture et l’annulation restent possibles. Pour garder le compte, ouvrez « Vos données ».',
    invalid_json: fr.unread,
    invalid_form: fr.unread,
    duplicate_name: fr.unread,
    invalid_encoding: fr.unread,
    invalid_header: fr.unread,
    not_acceptable: fr.unread,
    unsupported_media_type: fr.unread,
    method_not_allowed: fr.unread,
    idempotency_key_reused:
      'Ce formulaire a déjà été envoyé avec un autre contenu. Ouvrez de nouveau la page pour l’envoyer encore. Vérifiez d’abord ce qu’il a déjà fait : ce serait fait en plus.',
    secret_not_repeated:
      'Cela a déjà été fait, et le secret n’est plus affiché. Révoquez ce qui a été créé et recommencez.',
    idempotency_in_progress:
      'Le formulaire que vous avez envoyé est encore en cours de traitement. Envoyez-le de nouveau.',
    request_timeout: 'Le formulaire a mis trop de temps à arriver. Envoyez-le de nouveau.',
    body_too_large:
      'Le formulaire est trop grand. Raccourcissez le texte ou choisissez un fichier plus petit.',
    event_too_large:
      'Le formulaire contient trop de texte. Raccourcissez les champs les plus longs.',
    validation_failed:
      'Tout n’est pas correct dans le formulaire. Corrigez-le et envoyez-le de nouveau.',
    conflict: fr.again,
    version_mismatch:
      'Cela a été modifié après l’affichage de la page. Vérifiez et refaites ce que vous vouliez faire.',
    rate_limited: [
      'Trop de requêtes. Réessayez dans {retry_after:wait}.',
      'Trop de requêtes. Réessayez dans un instant.',
    ],
    quota_exceeded: [
      'Le compte ne peut pas le faire aussi souvent. Réessayez dans {retry_after:wait} ou demandez davantage à l’exploitant du service.',
      'Le compte ne peut pas en avoir ou en faire plus. Adressez-vous à l’exploitant du service.',
    ],
    key_limit_reached: 'Le compte a trop de clés. Révoquez-en une dont vous ne vous servez plus.',
    freeze_limit_reached:
      'Trop de clés et d’UCAN sont déjà gelés. Révoquez cette clé ou gelez le compte.',
    policy_limit_reached:
      'Le compte a trop de règles, ou trop de modifications en attente. Retirez-en d’abord.',
    topup_limit_reached: [
      'Trop de versements attendent leur paiement. Payez l’un d’eux ou attendez jusqu’au {retry_at:moment}.',
      'Trop de versements attendent leur paiement. Payez l’un d’eux ou attendez.',
    ],
    audit_link_limit_reached:
      'La lettre a déjà trop de liens. Révoquez-en un dont vous n’avez plus besoin.',
    address_invalid: 'Une adresse ne permet pas la distribution telle qu’elle est écrite.',
    service_not_available:
      'Le service ne peut pas transporter cette lettre. Choisissez-en un autre ou « Le moins cher qui convient ».',
    content_not_printable: 'Le contenu ne peut pas être imprimé tel quel.',
    document_not_supported: 'Le PDF ne peut pas être accepté tel quel.',
    too_many_pages: [
      'La lettre a {pages:number} pages, plus qu’il n’est possible d’en envoyer. Raccourcissez-la, imprimez recto verso ou choisissez un autre service.',
      'La lettre a trop de pages. Raccourcissez-la, imprimez recto verso ou choisissez un autre service.',
    ],
    html_unavailable:
      'Le HTML ne peut pas être imprimé en ce moment. Envoyez la lettre comme texte ou comme PDF.',
    exchange_rate_stale:
      'Les prix ne peuvent pas être calculés en ce moment, car un taux de change est trop ancien. L’exploitant du service doit le mettre à jour.',
    quote_invalid: 'Le prix ne vaut pas pour cette lettre. Vérifiez de nouveau le prix.',
    quote_expired: 'Le prix a expiré. Vérifiez de nouveau le prix.',
    quote_mismatch:
      'La lettre a changé depuis que son prix a été affiché. Vérifiez de nouveau le prix.',
    commitment_consumed: fr.late,
    commitment_expired: fr.late,
    commitment_mismatch: fr.late,
    commitment_not_found: fr.late,
    commitment_payment_mismatch: fr.late,
    max_total_exceeded: [
      'La lettre coûte maintenant {total:money}, plus que la page ne l’indiquait. Vérifiez le prix et envoyez-la de nouveau.',
      'La lettre coûte maintenant plus que la page ne l’indiquait. Vérifiez le prix et envoyez-la de nouveau.',
    ],
    insufficient_funds: [
      'La modification coûte {additional:money} de plus, mais le solde n’est que de {available:money}. Rechargez le solde et modifiez de nouveau la lettre.',
      'La lettre coûte {total:money}, mais le solde n’est que de {available:money}. Rechargez le solde et envoyez de nouveau.',
      'Le solde ne suffit pas pour la lettre. Rechargez le solde et envoyez de nouveau.',
    ],
    letter_not_found: fr.gone,
    letter_deleted:
      'Les données personnelles de la lettre ont été effacées. Son historique et sa preuve restent.',
    letter_not_cancellable: [
      'La lettre ne peut plus être annulée. Son état : {letter_status:status}.',
      'La lettre ne peut plus être annulée.',
    ],
    letter_not_updatable: [
      'La lettre ne peut plus être modifiée. Son état : {letter_status:status}.',
      'La lettre ne peut plus être modifiée.',
    ],
    letter_not_deletable: [
      'La lettre ne peut pas être supprimée maintenant. Son état : {letter_status:status}.',
      'La lettre ne peut pas être supprimée maintenant.',
    ],
    letter_not_sendable: 'La lettre a déjà été envoyée, ou n’est plus un brouillon.',
    policy_denied: [
      'La règle « {rule} » permet {limit:limit} (utilisé : {usage:usage}). Cette lettre n’est pas permise avant le {resets_at:moment}.',
      'La règle « {rule} » permet {limit:limit} (utilisé : {usage:usage}). Cette lettre n’est pas permise.',
      'La règle « {rule} » permet {limit:limit} : elle ne permet pas cette lettre avant le {resets_at:moment}.',
      'La règle « {rule} » permet {limit:limit} : elle ne permet pas cette lettre.',
      'La règle « {rule} » ne permet pas cette lettre.',
      'Aucune règle ne permet cette lettre.',
    ],
    approval_required:
      'Selon une règle, la lettre modifiée attend une approbation. Elle reste donc telle quelle. Annulez-la et envoyez-en une nouvelle.',
    approval_pending:
      'Une approbation est déjà attendue. Attendez la décision, ou annulez ce qui attend et redemandez.',
    approval_over: 'Une décision a déjà été prise, ou le délai est écoulé.',
    approver_is_requester: 'Vous l’avez demandé vous-même. Une autre personne doit décider.',
    approver_not_allowed:
      'Vous ne pouvez pas en décider, ou vous l’avez déjà approuvé. Demandez à une autre personne.',
    key_revoked: 'La clé ou l’UCAN qui l’a demandé a été révoqué. Redemandez avec une autre clé.',
    policy_not_found: 'Il n’y a plus de règles. Ouvrez de nouveau la page.',
    approval_not_found: fr.gone,
    last_full_key:
      'C’est la dernière clé qui peut tout faire. Créez-en d’abord une autre, puis révoquez celle-ci.',
    key_not_found: fr.gone,
    ucan_not_found: fr.gone,
    revocation_not_allowed:
      'Cette session ne peut pas révoquer l’UCAN. Connectez-vous avec une clé qui peut tout faire.',
    url_not_allowed:
      'Cette adresse ne peut pas être utilisée. Indiquez une adresse publique qui commence par https.',
    webhook_not_set: 'Il n’y a pas de webhook. Indiquez d’abord son adresse et enregistrez-la.',
    notification_not_found: fr.gone,
    audit_link_not_found: fr.gone,
    payment_method_unavailable:
      'Ce moyen de paiement n’est pas disponible ici. Choisissez-en un autre.',
    topup_not_found: fr.gone,
    contract_needs_history: [
      'Un compte ne peut s’engager que sur autant de lettres qu’il en a déjà envoyé : {printed_before:number} ont été imprimées sur la même durée, et vous en demandez {committed_units:number}.',
      'Un compte ne peut s’engager que sur autant de lettres qu’il en a déjà envoyé.',
    ],
    contract_overlaps: [
      'Le compte a déjà un contrat pour cette durée, jusqu’au {ends_at:moment}. Commencez le suivant à ce moment.',
      'Le compte a déjà un contrat pour cette durée.',
    ],
    contract_not_found: fr.gone,
    account_not_found: fr.gone,
    closure_code_required: 'Saisissez le code reçu par e-mail.',
    closure_code_invalid: 'Le code est faux ou a expiré. Demandez-en un nouveau par e-mail.',
    export_in_progress: 'Un autre export est en préparation. Attendez qu’il soit prêt.',
    export_not_ready: 'L’export n’est pas encore prêt. Réessayez dans un instant.',
    export_not_found: fr.gone,
    statement_too_long: 'Le relevé est trop long. Choisissez moins de jours.',
    audit_too_long: 'L’historique de la lettre est trop long pour un seul fichier.',
    invalid_cursor: fr.gonePart,
    position_beyond_log: fr.down,
    not_found: fr.gone,
    payment_required: fr.payment,
    payment_invalid: fr.payment,
    payment_malformed: fr.payment,
    payment_already_used: fr.payment,
    payment_pending: fr.payment,
    payment_not_taken: fr.payment,
    payment_unavailable: fr.payment,
    overloaded: fr.busy,
    internal_error: fr.down,
    store_unavailable: fr.down,
    read_model_behind: fr.down,
    storage_full:
      'Le service n’a plus de place. Réessayez plus tard ; son exploitant doit en libérer.',
  },
});
