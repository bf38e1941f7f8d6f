/**
 * Sentences about one field, page or part of a letter, by the code of the finding and by language. The label of the
 * field stands before the sentence, or above it. A list goes from the most exact sentence to the most general one,
 * see `say.ts`. `code.kind` is about findings whose facts have that kind.
 */
import { inEachLanguage } from '../../../presenters/in-each-language.ts';

/** Findings about values of every form. */
const valueWords = inEachLanguage({
  en: {
    required: 'Fill in this field.',
    unknown_field: 'This form does not take this field. Open the page again.',
    type: 'This value is not of the right kind.',
    'type.number': 'Enter a number.',
    'type.integer': 'Enter a whole number.',
    too_long: 'This is too long.',
    'too_long.character': 'Enter at most {limit:number} characters.',
    too_short: 'This is too short.',
    'too_short.character': 'Enter at least {limit:number} characters.',
    format: 'This value is not written in the right way.',
    'format.email': 'Enter an e-mail address such as anna@example.com.',
    'format.uri': 'Enter an address such as https://example.com.',
    'format.date': 'Choose a day.',
    'format.date-time': 'Choose a day and a time.',
    pattern: 'This value has characters that it cannot have, or is not written in the right way.',
    enum: 'Choose one of the offered values.',
    out_of_range: [
      'Enter at least {at_least:number}.',
      'Enter at most {at_most:number}.',
      'Enter more than {more_than:number}.',
      'Enter less than {less_than:number}.',
      'Enter a multiple of {multiple_of:number}.',
      'Choose a day from {first:day} to {last:day}.',
      'This value is outside of what is possible.',
    ],
    'out_of_range.cents': 'Enter whole cents, such as 10.50.',
    'out_of_range.past': 'Choose a time in the future.',
    not_unique: 'This is there already. Choose another one.',
    character_not_allowed: [
      'Remove the character {character}, which cannot be printed.',
      'Remove the characters that cannot be printed.',
    ],
    one_of: 'Fill in one of the fields that exclude each other, and only one.',
    not_allowed: 'This value is not possible here.',
    'not_allowed.days': 'Choose at most {most:number} days.',
    'not_allowed.order': 'The beginning must be before the end, and not in the future.',
    too_deep: 'This value is not possible here.',
    base64: 'The file is damaged. Choose it again.',
    only_with_content: 'This goes with a text only.',
    only_with_document: 'This goes with a PDF only.',
    only_with_card: 'Other currencies are for cards only. Choose USD.',
    only_with_usdc: 'This goes with USDC only.',
    not_with_letter_id: 'A draft keeps this as it is.',
    not_with_dry_run: 'This is not possible with a trial.',
  },
  de: {
    required: 'Füllen Sie dieses Feld aus.',
    unknown_field: 'Dieses Formular nimmt das Feld nicht an. Öffnen Sie die Seite neu.',
    type: 'Dieser Wert ist nicht von der richtigen Art.',
    'type.number': 'Geben Sie eine Zahl ein.',
    'type.integer': 'Geben Sie eine ganze Zahl ein.',
    too_long: 'Das ist zu lang.',
    'too_long.character': 'Geben Sie höchstens {limit:number} Zeichen ein.',
    too_short: 'Das ist zu kurz.',
    'too_short.character': 'Geben Sie mindestens {limit:number} Zeichen ein.',
    format: 'Dieser Wert ist nicht richtig geschrieben.',
    'format.email': 'Geben Sie eine E-Mail-Adresse wie anna@example.com ein.',
    'format.uri': 'Geben Sie eine Adresse wie https://example.com ein.',
    'format.date': 'Wählen Sie einen Tag.',
    'format.date-time': 'Wählen Sie einen Tag und eine Uhrzeit.',
    pattern:
      'Dieser Wert hat Zeichen, die er nicht haben kann, oder er ist nicht richtig geschrieben.',
    enum: 'Wählen Sie einen der angebotenen Werte.',
    out_of_range: [
      'Geben Sie mindestens {at_least:number} ein.',
      'Geben Sie höchstens {at_most:number} ein.',
      'Geben Sie mehr als {more_than:number} ein.',
      'Geben Sie weniger als {less_than:number} ein.',
      'Geben Sie ein Vielfaches von {multiple_of:number} ein.',
      'Wählen Sie einen Tag vom {first:day} bis zum {last:day}.',
      'Dieser Wert liegt außerhalb des Möglichen.',
    ],
    'out_of_range.cents': 'Geben Sie ganze Cent ein, zum Beispiel 10,50.',
    'out_of_range.past': 'Wählen Sie einen Zeitpunkt in der Zukunft.',
    not_unique: 'Das gibt es schon. Wählen Sie etwas anderes.',
    character_not_allowed: [
      'Entfernen Sie das Zeichen {character}, das nicht gedruckt werden kann.',
      'Entfernen Sie die Zeichen, die nicht gedruckt werden können.',
    ],
    one_of: 'Füllen Sie eines der Felder aus, die einander ausschließen, und nur eines.',
    not_allowed: 'Dieser Wert ist hier nicht möglich.',
    'not_allowed.days': 'Wählen Sie höchstens {most:number} Tage.',
    'not_allowed.order': 'Der Anfang muss vor dem Ende liegen und nicht in der Zukunft.',
    too_deep: 'Dieser Wert ist hier nicht möglich.',
    base64: 'Die Datei ist beschädigt. Wählen Sie sie noch einmal.',
    only_with_content: 'Das geht nur mit einem Text.',
    only_with_document: 'Das geht nur mit einer PDF-Datei.',
    only_with_card: 'Andere Währungen gibt es nur mit Karte. Wählen Sie USD.',
    only_with_usdc: 'Das geht nur mit USDC.',
    not_with_letter_id: 'Ein Entwurf behält das, wie es ist.',
    not_with_dry_run: 'Das ist bei einer Probe nicht möglich.',
  },
  fr: {
    required: 'Remplissez ce champ.',
    unknown_field: 'Ce formulaire n’accepte pas ce champ. Ouvrez de nouveau la page.',
    type: 'Cette valeur n’est pas du bon type.',
    'type.number': 'Indiquez un nombre.',
    'type.integer': 'Indiquez un nombre entier.',
    too_long: 'C’est trop long.',
    'too_long.character': 'Indiquez {limit:number} caractères au plus.',
    too_short: 'C’est trop court.',
    'too_short.character': 'Indiquez au moins {limit:number} caractères.',
    format: 'Cette valeur n’est pas écrite correctement.',
    'format.email': 'Indiquez une adresse e-mail comme anna@example.com.',
    'format.uri': 'Indiquez une adresse comme https://example.com.',
    'format.date': 'Choisissez un jour.',
    'format.date-time': 'Choisissez un jour et une heure.',
    pattern:
      'Cette valeur a des caractères qu’elle ne peut pas avoir, ou n’est pas écrite correctement.',
    enum: 'Choisissez une des valeurs proposées.',
    out_of_range: [
      'Indiquez au moins {at_least:number}.',
      'Indiquez au plus {at_most:number}.',
      'Indiquez plus de {more_than:number}.',
      'Indiquez moins de {less_than:number}.',
      'Indiquez un multiple de {multiple_of:number}.',
      'Choisissez un jour du {first:day} au {last:day}.',
      'Cette valeur est hors de ce qui est possible.',
    ],
    'out_of_range.cents': 'Indiquez des cents entiers, par exemple 10,50.',
    'out_of_range.past': 'Choisissez un moment à venir.',
    not_unique: 'Cela existe déjà. Choisissez autre chose.',
    character_not_allowed: [
      'Retirez le caractère {character}, qui ne peut pas être imprimé.',
      'Retirez les caractères qui ne peuvent pas être imprimés.',
    ],
    one_of: 'Remplissez un seul des champs qui s’excluent.',
    not_allowed: 'Cette valeur n’est pas possible ici.',
    'not_allowed.days': 'Choisissez {most:number} jours au plus.',
    'not_allowed.order': 'Le début doit précéder la fin et ne pas être à venir.',
    too_deep: 'Cette valeur n’est pas possible ici.',
    base64: 'Le fichier est endommagé. Choisissez-le de nouveau.',
    only_with_content: 'Cela ne va qu’avec un texte.',
    only_with_document: 'Cela ne va qu’avec un PDF.',
    only_with_card: 'Les autres devises sont réservées aux cartes. Choisissez USD.',
    only_with_usdc: 'Cela ne va qu’avec USDC.',
    not_with_letter_id: 'Un brouillon garde cela tel quel.',
    not_with_dry_run: 'Cela n’est pas possible pour une simple vérification.',
  },
});

/** Findings about addresses. */
const addressWords = inEachLanguage({
  en: {
    line_too_long: [
      'An address line has at most {at_most:number} characters. Shorten it.',
      'The line is too long for an address. Shorten it.',
    ],
    line_empty:
      'Letters or digits are missing here. Fill in the line, or leave it empty if it is not needed.',
    leading_character: 'A line begins with a letter or digit. Remove the sign at its beginning.',
    script_not_latin: 'The post reads Latin letters only. Write the line in Latin letters.',
    punctuation: 'The post wants no such signs in this line. Remove them.',
    parcels_only: 'This place takes parcels only, no letters. Enter another address.',
    postal_code_invalid: [
      'This postal code is not written as in the country. Did you mean {suggestion}?',
      'This postal code is not written as in the country. Check the code and the country.',
    ],
    postal_code_unassigned: 'This postal code does not exist. Check its digits and letters.',
    postal_code_mismatch: [
      'The line has the postal code {other}, but that of the address is {code}. Correct the wrong one.',
      'Another postal code stands in this line. Correct the wrong one.',
    ],
    state_required: 'Choose the state or province by its two letters, or correct the postal code.',
    state_invalid: 'There is no such state or province. Enter its two letters, or leave it empty.',
    state_mismatch:
      'State or province, town and postal code do not belong together. Correct the wrong one.',
    state_not_printed:
      'This is no part of an address in the country, and is not printed. Put it on the second address line if it must be printed.',
    address_too_large:
      'The address does not fit the envelope, even in small print. Shorten this line.',
    normalized: 'Addresses were written as the post wants them. Check them on the page.',
  },
  de: {
    line_too_long: [
      'Eine Adresszeile hat höchstens {at_most:number} Zeichen. Kürzen Sie sie.',
      'Die Zeile ist für eine Adresse zu lang. Kürzen Sie sie.',
    ],
    line_empty:
      'Hier fehlen Buchstaben oder Ziffern. Füllen Sie die Zeile aus, oder lassen Sie sie leer, wenn sie nicht nötig ist.',
    leading_character:
      'Eine Zeile beginnt mit einem Buchstaben oder einer Ziffer. Entfernen Sie das Zeichen am Anfang.',
    script_not_latin:
      'Die Post liest nur lateinische Buchstaben. Schreiben Sie die Zeile in lateinischen Buchstaben.',
    punctuation: 'Die Post möchte solche Zeichen in dieser Zeile nicht. Entfernen Sie sie.',
    parcels_only:
      'An diesen Ort gehen nur Pakete, keine Briefe. Geben Sie eine andere Adresse ein.',
    postal_code_invalid: [
      'So schreibt man in diesem Land keine Postleitzahl. Meinten Sie {suggestion}?',
      'So schreibt man in diesem Land keine Postleitzahl. Prüfen Sie Postleitzahl und Land.',
    ],
    postal_code_unassigned:
      'Diese Postleitzahl gibt es nicht. Prüfen Sie ihre Ziffern und Buchstaben.',
    postal_code_mismatch: [
      'In der Zeile steht die Postleitzahl {other}, die der Adresse ist aber {code}. Berichtigen Sie die falsche.',
      'In der Zeile steht eine andere Postleitzahl. Berichtigen Sie die falsche.',
    ],
    state_required:
      'Geben Sie den Bundesstaat oder die Provinz mit zwei Buchstaben an, oder berichtigen Sie die Postleitzahl.',
    state_invalid:
      'Diesen Bundesstaat oder diese Provinz gibt es nicht. Geben Sie die zwei Buchstaben ein, oder lassen Sie das Feld leer.',
    state_mismatch:
      'Bundesstaat oder Provinz, Ort und Postleitzahl gehören nicht zusammen. Berichtigen Sie den Fehler.',
    state_not_printed:
      'Das gehört in diesem Land nicht zur Adresse und wird nicht gedruckt. Schreiben Sie es in die zweite Adresszeile, wenn es gedruckt werden muss.',
    address_too_large:
      'Die Adresse passt auch in kleiner Schrift nicht auf den Umschlag. Kürzen Sie diese Zeile.',
    normalized:
      'Adressen wurden so geschrieben, wie die Post es möchte. Prüfen Sie sie auf der Seite.',
  },
  fr: {
    line_too_long: [
      'Une ligne d’adresse a {at_most:number} caractères au plus. Raccourcissez-la.',
      'La ligne est trop longue pour une adresse. Raccourcissez-la.',
    ],
    line_empty:
      'Il manque ici des lettres ou des chiffres. Remplissez la ligne, ou laissez-la vide si elle n’est pas nécessaire.',
    leading_character:
      'Une ligne commence par une lettre ou un chiffre. Retirez le signe du début.',
    script_not_latin:
      'La poste ne lit que les lettres latines. Écrivez la ligne en lettres latines.',
    punctuation: 'La poste ne veut pas de tels signes dans cette ligne. Retirez-les.',
    parcels_only: 'Ce lieu ne reçoit que des colis, pas de lettres. Indiquez une autre adresse.',
    postal_code_invalid: [
      'Un code postal ne s’écrit pas ainsi dans ce pays. Vouliez-vous dire {suggestion} ?',
      'Un code postal ne s’écrit pas ainsi dans ce pays. Vérifiez le code et le pays.',
    ],
    postal_code_unassigned: 'Ce code postal n’existe pas. Vérifiez ses chiffres et ses lettres.',
    postal_code_mismatch: [
      'La ligne contient le code postal {other}, mais celui de l’adresse est {code}. Corrigez celui qui est faux.',
      'La ligne contient un autre code postal. Corrigez celui qui est faux.',
    ],
    state_required:
      'Indiquez les deux lettres de l’État ou de la province, ou corrigez le code postal.',
    state_invalid:
      'Cet État ou cette province n’existe pas. Indiquez ses deux lettres ou laissez le champ vide.',
    state_mismatch:
      'L’État ou la province, la ville et le code postal ne vont pas ensemble. Corrigez ce qui est faux.',
    state_not_printed:
      'Cela ne fait pas partie d’une adresse dans ce pays et n’est pas imprimé. Mettez-le dans le complément d’adresse s’il doit être imprimé.',
    address_too_large:
      'L’adresse ne tient pas sur l’enveloppe, même en petits caractères. Raccourcissez cette ligne.',
    normalized:
      'Des adresses ont été écrites comme la poste le souhaite. Vérifiez-les sur la page.',
  },
});

/** Findings about texts, HTML and PDFs. `page` is the page of the letter. */
const documentWords = inEachLanguage({
  en: {
    content_empty: 'Nothing in it can be seen on paper. Write some text.',
    content_overflows: [
      '{element} lies {by:number} mm outside of the area that is printed. Make it smaller or move it.',
      'Something lies outside of the area that is printed. Make it smaller or move it.',
    ],
    character_control: [
      'Character {place:number} of the text, {character}, is a control character. Remove it.',
      'It has a control character, which cannot be printed. Remove it.',
    ],
    character_bidi: [
      'Character {place:number} of the text, {character}, changes the direction of text. Remove it.',
      'It has a mark that changes the direction of text. Remove it.',
    ],
    character_no_glyph: [
      'Character {place:number} of the text, {character}, is in no font of the service. Remove or replace it.',
      'It has a character that no font of the service has. Remove or replace it.',
    ],
    character_surrogate: [
      'Character {place:number} of the text, {character}, is half of a character. Remove it.',
      'It has half of a character. Remove it.',
    ],
    image_unreadable: 'Pictures are cut off or damaged. Insert them again.',
    render_failed: 'It cannot be printed. Make it simpler.',
    render_memory: 'It takes too much memory to print. Make it simpler.',
    render_timeout: 'It takes too long to print. Make it simpler.',
    html_too_complex: 'The HTML takes too long to print. Make it simpler.',
    html_too_deep: 'The HTML is nested too deeply. Make it simpler.',
    html_too_large: 'The HTML has too many elements. Make it shorter.',
    html_removed: 'Parts of the HTML that cannot be printed were removed.',
    document_fixed: 'It was scaled, shifted or given a page for the address. Check the pages.',
    markup_in_text: 'It is printed as plain text, with all signs of its format.',
    markdown_not_interpreted: 'It is printed as plain text, with its Markdown signs.',
    reference_shortened: 'It is too long for its line, so its end is not printed.',
    logo_not_found: 'There is no such logo.',
    logo_too_large: 'The logo is too large.',
    logo_unreadable: 'The logo cannot be read.',
    footer_too_long: 'The footer does not fit the page. Shorten it.',
    not_a_pdf: 'This file is not a PDF. Export the letter as PDF.',
    pdf_too_large: 'The PDF is too large. Use pictures with a lower resolution.',
    pdf_damaged: [
      'Page {page:number} cannot be read, or was repaired. Check it, or export the PDF again.',
      'The PDF is damaged, or was repaired. Check its pages, or export it again.',
    ],
    pdf_encrypted: 'The PDF is encrypted. Save it without password and without restrictions.',
    pdf_javascript: 'The PDF contains JavaScript. Print it to a new PDF.',
    pdf_embedded_files: 'The PDF has attachments. Save it without them.',
    pdf_launch_action: 'The PDF starts programs. Print it to a new PDF.',
    pdf_xfa: 'The PDF is a form that readers show differently (XFA). Print it to a new PDF.',
    pdf_hidden_layers: 'The PDF has hidden layers. Show or delete them, and print it to a new PDF.',
    pdf_user_unit:
      'The pages of the PDF have a unit of their own. Export it again, or let it be made to fit.',
    pdf_too_complex:
      'The PDF takes too much time or memory. Print it to a new PDF, or simplify it.',
    no_pages: 'The PDF has no pages. Export the letter again.',
    too_many_pages: 'The PDF has too many pages. Split it or remove pages.',
    page_size: [
      'Page {page:number} does not have the size of the paper. Export it in that size, or let it be made to fit.',
      'A page does not have the size of the paper. Export it in that size, or let it be made to fit.',
    ],
    'page_size.unfit': [
      'Page {page:number} is much larger or smaller than the paper. Export it in the size of the paper.',
      'A page is much larger or smaller than the paper. Export it in the size of the paper.',
    ],
    page_landscape: [
      'Page {page:number} is landscape. Turn it, or let it be made to fit.',
      'A page is landscape. Turn it, or let it be made to fit.',
    ],
    'page_landscape.unfit': [
      'Page {page:number} is landscape, and much larger or smaller than the paper. Export it in the size of the paper.',
      'A page is landscape, and much larger or smaller than the paper. Export it in the size of the paper.',
    ],
    mixed_page_sizes: [
      'Page {page:number} has another size than the first page. Make all pages the same size.',
      'The pages have different sizes. Make them the same size.',
    ],
    font_not_embedded: [
      'Page {page:number} uses a font that is not embedded. Export with all fonts embedded, such as PDF/A.',
      'A font is not embedded. Export with all fonts embedded, such as PDF/A.',
    ],
    ink_in_address_window: [
      'Page {page:number} has something where the address is printed. Leave the address field free, or add a page in front.',
      'Something stands where the address is printed. Leave the address field free, or add a page in front.',
    ],
    ink_in_no_print_zone: [
      'Page {page:number} has something in a zone that must stay empty. Move it, or add a page in front.',
      'Something stands in a zone that must stay empty. Move it, or add a page in front.',
    ],
    ink_outside_safe_area: [
      'Page {page:number} has something at the edge, which cannot be printed. Move it, or let it be made to fit.',
      'Something stands at the edge, which cannot be printed. Move it, or let it be made to fit.',
    ],
    invisible_text_in_control_zone: [
      'Page {page:number} has invisible text where machines read. Remove it.',
      'Invisible text stands where machines read. Remove it.',
    ],
    tiny_text_in_control_zone: [
      'Page {page:number} has tiny text where machines read. Remove it.',
      'Tiny text stands where machines read. Remove it.',
    ],
    empty_page: [
      'Page {page:number} is empty. It is printed and charged anyway.',
      'A page is empty. It is printed and charged anyway.',
    ],
    'empty_page.every_page': 'Nothing in the PDF is visible on paper. Export the letter again.',
    not_printed: [
      'Page {page:number} has form fields or notes that are not printed. Print the PDF to a new PDF, which keeps them.',
      'This is not printed. Check the pages.',
    ],
    'not_printed.redaction': [
      'Page {page:number} has places that are marked for redaction and not redacted. Apply the redaction, and save the PDF again.',
      'Places are marked for redaction and not redacted. Apply the redaction, and save the PDF again.',
    ],
    small_type:
      'Some type is so small that it is hard to read. Shorten the text, or make the type larger.',
    image_shrunk: 'A picture was shrunk to the width of its place. Give it a width that fits.',
    fixed_element:
      'Something with a fixed position is printed on every page, and may lie over text.',
    hidden_text: [
      'Page {page:number} has text that cannot be seen on paper. It is printed and charged anyway.',
      'Some text cannot be seen on paper. It is printed and charged anyway.',
    ],
    address_mismatch:
      'The address window of the PDF does not show the address of the letter. Correct one of them, or choose another place for the address.',
  },
  de: {
    content_empty: 'Nichts davon ist auf Papier zu sehen. Schreiben Sie einen Text.',
    content_overflows: [
      '{element} liegt {by:number} mm außerhalb des Bereichs, der gedruckt wird. Verkleinern oder verschieben Sie es.',
      'Etwas liegt außerhalb des Bereichs, der gedruckt wird. Verkleinern oder verschieben Sie es.',
    ],
    character_control: [
      'Das {place:number}. Zeichen des Textes, {character}, ist ein Steuerzeichen. Entfernen Sie es.',
      'Ein Steuerzeichen kann nicht gedruckt werden. Entfernen Sie es.',
    ],
    character_bidi: [
      'Das {place:number}. Zeichen des Textes, {character}, ändert die Richtung des Textes. Entfernen Sie es.',
      'Ein Zeichen ändert die Richtung des Textes. Entfernen Sie es.',
    ],
    character_no_glyph: [
      'Das {place:number}. Zeichen des Textes, {character}, gibt es in keiner Schrift des Dienstes. Entfernen oder ersetzen Sie es.',
      'Ein Zeichen gibt es in keiner Schrift des Dienstes. Entfernen oder ersetzen Sie es.',
    ],
    character_surrogate: [
      'Das {place:number}. Zeichen des Textes, {character}, ist ein halbes Zeichen. Entfernen Sie es.',
      'Es gibt ein halbes Zeichen. Entfernen Sie es.',
    ],
    image_unreadable: 'Bilder sind abgeschnitten oder beschädigt. Fügen Sie sie noch einmal ein.',
    render_failed: 'Das kann nicht gedruckt werden. Vereinfachen Sie es.',
    render_memory: 'Das braucht zum Drucken zu viel Speicher. Vereinfachen Sie es.',
    render_timeout: 'Das braucht zum Drucken zu lange. Vereinfachen Sie es.',
    html_too_complex: 'Das HTML braucht zum Drucken zu lange. Vereinfachen Sie es.',
    html_too_deep: 'Das HTML ist zu tief verschachtelt. Vereinfachen Sie es.',
    html_too_large: 'Das HTML hat zu viele Elemente. Kürzen Sie es.',
    html_removed: 'Teile des HTML, die nicht gedruckt werden können, wurden entfernt.',
    document_fixed:
      'Die Seiten wurden skaliert, verschoben oder um eine Adressseite ergänzt. Prüfen Sie sie.',
    markup_in_text: 'Das wird als einfacher Text gedruckt, mit allen Zeichen seines Formats.',
    markdown_not_interpreted: 'Das wird als einfacher Text gedruckt, mit seinen Markdown-Zeichen.',
    reference_shortened: 'Der Text ist für seine Zeile zu lang. Das Ende wird nicht gedruckt.',
    logo_not_found: 'Dieses Logo gibt es nicht.',
    logo_too_large: 'Das Logo ist zu groß.',
    logo_unreadable: 'Das Logo ist nicht lesbar.',
    footer_too_long: 'Die Fußzeile passt nicht auf die Seite. Kürzen Sie sie.',
    not_a_pdf: 'Diese Datei ist keine PDF-Datei. Exportieren Sie den Brief als PDF.',
    pdf_too_large: 'Die PDF-Datei ist zu groß. Verwenden Sie Bilder mit geringerer Auflösung.',
    pdf_damaged: [
      'Seite {page:number} ist nicht lesbar oder wurde repariert. Prüfen Sie sie, oder exportieren Sie die PDF-Datei noch einmal.',
      'Die PDF-Datei ist beschädigt oder wurde repariert. Prüfen Sie ihre Seiten, oder exportieren Sie sie noch einmal.',
    ],
    pdf_encrypted:
      'Die PDF-Datei ist verschlüsselt. Speichern Sie sie ohne Passwort und ohne Einschränkungen.',
    pdf_javascript: 'Die PDF-Datei enthält JavaScript. Drucken Sie sie in eine neue PDF-Datei.',
    pdf_embedded_files: 'Die PDF-Datei hat Anhänge. Speichern Sie sie ohne Anhänge.',
    pdf_launch_action: 'Die PDF-Datei startet Programme. Drucken Sie sie in eine neue PDF-Datei.',
    pdf_xfa:
      'Die PDF-Datei ist ein Formular, das jedes Programm anders zeigt (XFA). Drucken Sie sie in eine neue PDF-Datei.',
    pdf_hidden_layers:
      'Die PDF-Datei hat verborgene Ebenen. Zeigen oder löschen Sie sie, und drucken Sie sie in eine neue PDF-Datei.',
    pdf_user_unit:
      'Die Seiten der PDF-Datei haben ein eigenes Maß. Exportieren Sie sie noch einmal, oder lassen Sie sie einpassen.',
    pdf_too_complex:
      'Die PDF-Datei braucht zu viel Zeit oder Speicher. Drucken Sie sie in eine neue PDF-Datei, oder vereinfachen Sie sie.',
    no_pages: 'Die PDF-Datei hat keine Seiten. Exportieren Sie den Brief noch einmal.',
    too_many_pages: 'Die PDF-Datei hat zu viele Seiten. Teilen Sie sie, oder entfernen Sie Seiten.',
    page_size: [
      'Seite {page:number} hat nicht die Größe des Papiers. Exportieren Sie sie in dieser Größe, oder lassen Sie sie einpassen.',
      'Eine Seite hat nicht die Größe des Papiers. Exportieren Sie sie in dieser Größe, oder lassen Sie sie einpassen.',
    ],
    'page_size.unfit': [
      'Seite {page:number} ist viel größer oder kleiner als das Papier. Exportieren Sie sie in der Größe des Papiers.',
      'Eine Seite ist viel größer oder kleiner als das Papier. Exportieren Sie sie in der Größe des Papiers.',
    ],
    page_landscape: [
      'Seite {page:number} liegt quer. Drehen Sie sie, oder lassen Sie sie einpassen.',
      'Eine Seite liegt quer. Drehen Sie sie, oder lassen Sie sie einpassen.',
    ],
    'page_landscape.unfit': [
      'Seite {page:number} liegt quer und ist viel größer oder kleiner als das Papier. Exportieren Sie sie in der Größe des Papiers.',
      'Eine Seite liegt quer und ist viel größer oder kleiner als das Papier. Exportieren Sie sie in der Größe des Papiers.',
    ],
    mixed_page_sizes: [
      'Seite {page:number} hat eine andere Größe als die erste. Geben Sie allen Seiten dieselbe Größe.',
      'Die Seiten sind verschieden groß. Geben Sie allen dieselbe Größe.',
    ],
    font_not_embedded: [
      'Seite {page:number} verwendet eine Schrift, die nicht eingebettet ist. Exportieren Sie mit allen Schriften, etwa als PDF/A.',
      'Eine Schrift ist nicht eingebettet. Exportieren Sie mit allen Schriften, etwa als PDF/A.',
    ],
    ink_in_address_window: [
      'Auf Seite {page:number} steht etwas, wo die Adresse gedruckt wird. Lassen Sie das Adressfeld frei, oder fügen Sie eine Seite davor ein.',
      'Es steht etwas, wo die Adresse gedruckt wird. Lassen Sie das Adressfeld frei, oder fügen Sie eine Seite davor ein.',
    ],
    ink_in_no_print_zone: [
      'Auf Seite {page:number} steht etwas in einem Bereich, der leer bleiben muss. Verschieben Sie es, oder fügen Sie eine Seite davor ein.',
      'Es steht etwas in einem Bereich, der leer bleiben muss. Verschieben Sie es, oder fügen Sie eine Seite davor ein.',
    ],
    ink_outside_safe_area: [
      'Auf Seite {page:number} steht etwas am Rand, der nicht bedruckt werden kann. Verschieben Sie es, oder lassen Sie die Seite einpassen.',
      'Es steht etwas am Rand, der nicht bedruckt werden kann. Verschieben Sie es, oder lassen Sie die Seite einpassen.',
    ],
    invisible_text_in_control_zone: [
      'Auf Seite {page:number} steht unsichtbarer Text, wo Maschinen lesen. Entfernen Sie ihn.',
      'Unsichtbarer Text steht, wo Maschinen lesen. Entfernen Sie ihn.',
    ],
    tiny_text_in_control_zone: [
      'Auf Seite {page:number} steht winziger Text, wo Maschinen lesen. Entfernen Sie ihn.',
      'Winziger Text steht, wo Maschinen lesen. Entfernen Sie ihn.',
    ],
    empty_page: [
      'Seite {page:number} ist leer. Sie wird trotzdem gedruckt und berechnet.',
      'Eine Seite ist leer. Sie wird trotzdem gedruckt und berechnet.',
    ],
    'empty_page.every_page':
      'Nichts in der PDF-Datei ist auf Papier zu sehen. Exportieren Sie den Brief noch einmal.',
    not_printed: [
      'Seite {page:number} hat Formularfelder oder Anmerkungen, die nicht gedruckt werden. Drucken Sie die PDF-Datei in eine neue, die sie behält.',
      'Das wird nicht gedruckt. Prüfen Sie die Seiten.',
    ],
    'not_printed.redaction': [
      'Seite {page:number} hat Stellen, die zum Schwärzen markiert und nicht geschwärzt sind. Führen Sie die Schwärzung aus, und speichern Sie die PDF-Datei noch einmal.',
      'Stellen sind zum Schwärzen markiert und nicht geschwärzt. Führen Sie die Schwärzung aus, und speichern Sie die PDF-Datei noch einmal.',
    ],
    small_type:
      'Ein Teil der Schrift ist so klein, dass er schwer zu lesen ist. Kürzen Sie den Text, oder vergrößern Sie die Schrift.',
    image_shrunk:
      'Ein Bild wurde auf die Breite seines Platzes verkleinert. Geben Sie ihm eine Breite, die passt.',
    fixed_element:
      'Etwas mit fester Position wird auf jede Seite gedruckt und kann über Text liegen.',
    hidden_text: [
      'Seite {page:number} hat Text, der auf Papier nicht zu sehen ist. Er wird trotzdem gedruckt und berechnet.',
      'Ein Text ist auf Papier nicht zu sehen. Er wird trotzdem gedruckt und berechnet.',
    ],
    address_mismatch:
      'Im Adressfenster der PDF-Datei steht nicht die Adresse des Briefes. Berichtigen Sie eine davon, oder wählen Sie einen anderen Platz für die Adresse.',
  },
  fr: {
    content_empty: 'Rien n’en est visible sur le papier. Écrivez un texte.',
    content_overflows: [
      '{element} sort de {by:number} mm de la zone imprimée. Réduisez-le ou déplacez-le.',
      'Quelque chose sort de la zone imprimée. Réduisez-le ou déplacez-le.',
    ],
    character_control: [
      'Le caractère n° {place:number} du texte, {character}, est un caractère de contrôle. Retirez-le.',
      'Un caractère de contrôle ne peut pas être imprimé. Retirez-le.',
    ],
    character_bidi: [
      'Le caractère n° {place:number} du texte, {character}, change le sens du texte. Retirez-le.',
      'Un caractère change le sens du texte. Retirez-le.',
    ],
    character_no_glyph: [
      'Le caractère n° {place:number} du texte, {character}, manque à toutes les polices du service. Retirez-le ou remplacez-le.',
      'Un caractère manque à toutes les polices du service. Retirez-le ou remplacez-le.',
    ],
    character_surrogate: [
      'Le caractère n° {place:number} du texte, {character}, est une moitié de caractère. Retirez-le.',
      'Il y a une moitié de caractère. Retirez-la.',
    ],
    image_unreadable: 'Des images sont tronquées ou endommagées. Insérez-les de nouveau.',
    render_failed: 'L’impression est impossible. Simplifiez le contenu.',
    render_memory: 'L’impression demande trop de mémoire. Simplifiez le contenu.',
    render_timeout: 'L’impression prend trop de temps. Simplifiez le contenu.',
    html_too_complex: 'Le HTML prend trop de temps à imprimer. Simplifiez-le.',
    html_too_deep: 'Le HTML est trop imbriqué. Simplifiez-le.',
    html_too_large: 'Le HTML a trop d’éléments. Raccourcissez-le.',
    html_removed: 'Des parties du HTML qui ne peuvent pas être imprimées ont été retirées.',
    document_fixed:
      'Les pages ont été réduites, décalées ou complétées par une page d’adresse. Vérifiez-les.',
    markup_in_text: 'C’est imprimé comme texte simple, avec tous les signes de son format.',
    markdown_not_interpreted: 'C’est imprimé comme texte simple, avec les signes de Markdown.',
    reference_shortened: 'Le texte est trop long pour sa ligne : la fin n’est pas imprimée.',
    logo_not_found: 'Ce logo n’existe pas.',
    logo_too_large: 'Le logo est trop grand.',
    logo_unreadable: 'Le logo est illisible.',
    footer_too_long: 'Le pied de page ne tient pas sur la page. Raccourcissez-le.',
    not_a_pdf: 'Ce fichier n’est pas un PDF. Exportez la lettre en PDF.',
    pdf_too_large: 'Le PDF est trop grand. Utilisez des images moins fines.',
    pdf_damaged: [
      'La page {page:number} est illisible ou a été réparée. Vérifiez-la ou exportez de nouveau le PDF.',
      'Le PDF est endommagé ou a été réparé. Vérifiez ses pages ou exportez-le de nouveau.',
    ],
    pdf_encrypted: 'Le PDF est chiffré. Enregistrez-le sans mot de passe et sans restrictions.',
    pdf_javascript: 'Le PDF contient du JavaScript. Imprimez-le dans un nouveau PDF.',
    pdf_embedded_files: 'Le PDF a des pièces jointes. Enregistrez-le sans elles.',
    pdf_launch_action: 'Le PDF lance des programmes. Imprimez-le dans un nouveau PDF.',
    pdf_xfa:
      'Le PDF est un formulaire que les programmes affichent différemment (XFA). Imprimez-le dans un nouveau PDF.',
    pdf_hidden_layers:
      'Le PDF a des calques masqués. Affichez-les ou supprimez-les, et imprimez-le dans un nouveau PDF.',
    pdf_user_unit:
      'Les pages du PDF ont leur propre unité. Exportez-le de nouveau ou faites-le ajuster.',
    pdf_too_complex:
      'Le PDF demande trop de temps ou de mémoire. Imprimez-le dans un nouveau PDF ou simplifiez-le.',
    no_pages: 'Le PDF n’a pas de pages. Exportez de nouveau la lettre.',
    too_many_pages: 'Le PDF a trop de pages. Divisez-le ou retirez des pages.',
    page_size: [
      'La page {page:number} n’a pas la taille du papier. Exportez-la dans cette taille ou faites-la ajuster.',
      'Une page n’a pas la taille du papier. Exportez-la dans cette taille ou faites-la ajuster.',
    ],
    'page_size.unfit': [
      'La page {page:number} est beaucoup plus grande ou plus petite que le papier. Exportez-la dans la taille du papier.',
      'Une page est beaucoup plus grande ou plus petite que le papier. Exportez-la dans la taille du papier.',
    ],
    page_landscape: [
      'La page {page:number} est en paysage. Tournez-la ou faites-la ajuster.',
      'Une page est en paysage. Tournez-la ou faites-la ajuster.',
    ],
    'page_landscape.unfit': [
      'La page {page:number} est en paysage, et beaucoup plus grande ou plus petite que le papier. Exportez-la dans la taille du papier.',
      'Une page est en paysage, et beaucoup plus grande ou plus petite que le papier. Exportez-la dans la taille du papier.',
    ],
    mixed_page_sizes: [
      'La page {page:number} n’a pas la taille de la première. Donnez la même taille à toutes les pages.',
      'Les pages ont des tailles différentes. Donnez-leur la même taille.',
    ],
    font_not_embedded: [
      'La page {page:number} utilise une police qui n’est pas incorporée. Exportez avec toutes les polices, par exemple en PDF/A.',
      'Une police n’est pas incorporée. Exportez avec toutes les polices, par exemple en PDF/A.',
    ],
    ink_in_address_window: [
      'La page {page:number} contient quelque chose là où l’adresse est imprimée. Laissez libre la zone d’adresse ou ajoutez une page devant.',
      'Quelque chose se trouve là où l’adresse est imprimée. Laissez libre la zone d’adresse ou ajoutez une page devant.',
    ],
    ink_in_no_print_zone: [
      'La page {page:number} contient quelque chose dans une zone qui doit rester vide. Déplacez-le ou ajoutez une page devant.',
      'Quelque chose se trouve dans une zone qui doit rester vide. Déplacez-le ou ajoutez une page devant.',
    ],
    ink_outside_safe_area: [
      'La page {page:number} contient quelque chose au bord, qui ne peut pas être imprimé. Déplacez-le ou faites ajuster la page.',
      'Quelque chose se trouve au bord, qui ne peut pas être imprimé. Déplacez-le ou faites ajuster la page.',
    ],
    invisible_text_in_control_zone: [
      'La page {page:number} contient un texte invisible là où lisent les machines. Retirez-le.',
      'Un texte invisible se trouve là où lisent les machines. Retirez-le.',
    ],
    tiny_text_in_control_zone: [
      'La page {page:number} contient un texte minuscule là où lisent les machines. Retirez-le.',
      'Un texte minuscule se trouve là où lisent les machines. Retirez-le.',
    ],
    empty_page: [
      'La page {page:number} est vide. Elle est imprimée et facturée quand même.',
      'Une page est vide. Elle est imprimée et facturée quand même.',
    ],
    'empty_page.every_page':
      'Rien dans le PDF n’est visible sur le papier. Exportez de nouveau la lettre.',
    not_printed: [
      'La page {page:number} a des champs de formulaire ou des annotations qui ne sont pas imprimés. Imprimez le PDF dans un nouveau, qui les garde.',
      'Cela n’est pas imprimé. Vérifiez les pages.',
    ],
    'not_printed.redaction': [
      'La page {page:number} a des passages marqués pour être caviardés, mais qui ne le sont pas. Appliquez le caviardage et enregistrez de nouveau le PDF.',
      'Des passages sont marqués pour être caviardés, mais ne le sont pas. Appliquez le caviardage et enregistrez de nouveau le PDF.',
    ],
    small_type:
      'Une partie des caractères est si petite qu’elle est difficile à lire. Raccourcissez le texte ou agrandissez les caractères.',
    image_shrunk:
      'Une image a été réduite à la largeur de sa place. Donnez-lui une largeur qui convient.',
    fixed_element:
      'Un élément à position fixe est imprimé sur chaque page et peut couvrir du texte.',
    hidden_text: [
      'La page {page:number} a du texte invisible sur le papier. Elle est imprimée et facturée quand même.',
      'Un texte est invisible sur le papier. Il est imprimé et facturé quand même.',
    ],
    address_mismatch:
      'La fenêtre d’adresse du PDF ne montre pas l’adresse de la lettre. Corrigez l’une des deux ou choisissez une autre place pour l’adresse.',
  },
});

/** Findings about prices and services, about policies, and about receivers of messages. */
const otherWords = inEachLanguage({
  en: {
    quote_invalid: 'The price is not valid. Check the price again.',
    quote_expired: 'The price has expired. Check the price again.',
    quote_mismatch: 'This changed since the price was shown. Check the price again.',
    max_total_exceeded: 'The letter costs more than the page showed. Check the price again.',
    country_not_offered: 'No letters go to this country here.',
    intent_not_offered: 'No service to this country meets the purpose of the letter.',
    intent_not_met: 'The service does not meet the purpose of the letter.',
    sla_not_available: 'No service is as fast as the purpose of the letter asks for.',
    service_country_mismatch: 'This service does not deliver to the country. Choose another one.',
    service_not_offered: 'This service is not offered here. Choose another one.',
    service_intent_mismatch:
      'This service does not meet the purpose of the letter. Choose another one.',
    allows_nothing:
      'No rule would allow a letter. Add a rule that allows letters, or freeze the account.',
    contradicts: 'This contradicts another rule, or another part of this one. Change one of them.',
    not_per_letter: 'A limit for each letter is an amount.',
    not_with_alert: 'This does not go with “Tell me”.',
    not_with_allow: 'This does not go with “Allow”.',
    not_with_deny: 'A rule that denies has no limit. Leave the limit empty.',
    not_with_hold: 'A rule that asks for approval has no limit. Leave the limit empty.',
    too_few: 'More approvers are needed.',
    cannot_approve: 'This key cannot approve.',
    key_not_found: 'There is no such key.',
    unknown_time_zone: 'This is not the name of a time zone. Enter one such as Europe/Berlin.',
    url_not_allowed: 'Enter a public address that begins with https.',
    dns_failed: 'The host name of this address is unknown. Enter another address.',
    address_not_public: 'This address is not public. Enter another one.',
  },
  de: {
    quote_invalid: 'Der Preis gilt nicht. Prüfen Sie den Preis noch einmal.',
    quote_expired: 'Der Preis ist abgelaufen. Prüfen Sie den Preis noch einmal.',
    quote_mismatch:
      'Das hat sich geändert, seit der Preis gezeigt wurde. Prüfen Sie den Preis noch einmal.',
    max_total_exceeded:
      'Der Brief kostet mehr, als die Seite gezeigt hat. Prüfen Sie den Preis noch einmal.',
    country_not_offered: 'In dieses Land gehen hier keine Briefe.',
    intent_not_offered: 'Keine Versandart in dieses Land erfüllt den Zweck des Briefes.',
    intent_not_met: 'Die Versandart erfüllt den Zweck des Briefes nicht.',
    sla_not_available: 'Keine Versandart ist so schnell, wie der Zweck des Briefes es verlangt.',
    service_country_mismatch:
      'Diese Versandart stellt in dem Land nicht zu. Wählen Sie eine andere.',
    service_not_offered: 'Diese Versandart gibt es hier nicht. Wählen Sie eine andere.',
    service_intent_mismatch:
      'Diese Versandart erfüllt den Zweck des Briefes nicht. Wählen Sie eine andere.',
    allows_nothing:
      'Keine Regel würde einen Brief erlauben. Fügen Sie eine Regel hinzu, die Briefe erlaubt, oder frieren Sie das Konto ein.',
    contradicts:
      'Das widerspricht einer anderen Regel oder einem anderen Teil dieser Regel. Ändern Sie eines davon.',
    not_per_letter: 'Eine Grenze je Brief ist ein Betrag.',
    not_with_alert: 'Das geht nicht mit „Benachrichtigen“.',
    not_with_allow: 'Das geht nicht mit „Erlauben“.',
    not_with_deny: 'Eine Regel, die ablehnt, hat keine Grenze. Lassen Sie die Grenze leer.',
    not_with_hold:
      'Eine Regel, die eine Freigabe verlangt, hat keine Grenze. Lassen Sie die Grenze leer.',
    too_few: 'Es müssen mehr Personen für die Freigabe benannt sein.',
    cannot_approve: 'Dieser Schlüssel kann nichts freigeben.',
    key_not_found: 'Diesen Schlüssel gibt es nicht.',
    unknown_time_zone:
      'Das ist nicht der Name einer Zeitzone. Geben Sie einen wie Europe/Berlin ein.',
    url_not_allowed: 'Geben Sie eine öffentliche Adresse ein, die mit https beginnt.',
    dns_failed: 'Der Rechnername dieser Adresse ist unbekannt. Geben Sie eine andere Adresse ein.',
    address_not_public: 'Diese Adresse ist nicht öffentlich. Geben Sie eine andere ein.',
  },
  fr: {
    quote_invalid: 'Le prix n’est pas valable. Vérifiez de nouveau le prix.',
    quote_expired: 'Le prix a expiré. Vérifiez de nouveau le prix.',
    quote_mismatch: 'Cela a changé depuis l’affichage du prix. Vérifiez de nouveau le prix.',
    max_total_exceeded:
      'La lettre coûte plus que la page ne l’indiquait. Vérifiez de nouveau le prix.',
    country_not_offered: 'Aucune lettre ne part d’ici vers ce pays.',
    intent_not_offered: 'Aucun service vers ce pays ne répond à la finalité de la lettre.',
    intent_not_met: 'Le service ne répond pas à la finalité de la lettre.',
    sla_not_available: 'Aucun service n’est aussi rapide que la finalité de la lettre le demande.',
    service_country_mismatch: 'Ce service ne distribue pas dans le pays. Choisissez-en un autre.',
    service_not_offered: 'Ce service n’est pas proposé ici. Choisissez-en un autre.',
    service_intent_mismatch:
      'Ce service ne répond pas à la finalité de la lettre. Choisissez-en un autre.',
    allows_nothing:
      'Aucune règle ne permettrait de lettre. Ajoutez une règle qui permet des lettres ou gelez le compte.',
    contradicts:
      'Cela contredit une autre règle ou une autre partie de celle-ci. Modifiez l’une des deux.',
    not_per_letter: 'Une limite par lettre est un montant.',
    not_with_alert: 'Cela ne va pas avec « Prévenir ».',
    not_with_allow: 'Cela ne va pas avec « Permettre ».',
    not_with_deny: 'Une règle qui refuse n’a pas de limite. Laissez la limite vide.',
    not_with_hold:
      'Une règle qui demande une approbation n’a pas de limite. Laissez la limite vide.',
    too_few: 'Il faut désigner plus de personnes pour approuver.',
    cannot_approve: 'Cette clé ne peut rien approuver.',
    key_not_found: 'Cette clé n’existe pas.',
    unknown_time_zone:
      'Ce n’est pas le nom d’un fuseau horaire. Indiquez-en un comme Europe/Berlin.',
    url_not_allowed: 'Indiquez une adresse publique qui commence par https.',
    dns_failed: 'Le nom d’hôte de cette adresse est inconnu. Indiquez une autre adresse.',
    address_not_public: 'Cette adresse n’est pas publique. Indiquez-en une autre.',
  },
});

export const findingWords = inEachLanguage({
  en: { ...valueWords.en, ...addressWords.en, ...documentWords.en, ...otherWords.en },
  de: { ...valueWords.de, ...addressWords.de, ...documentWords.de, ...otherWords.de },
  fr: { ...valueWords.fr, ...addressWords.fr, ...documentWords.fr, ...otherWords.fr },
});
