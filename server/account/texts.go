package account

import "strings"

// The texts of mails. No player's name is in them: a mail goes to whatever address
// somebody has typed, and must carry nothing of the typer's choosing.

type mailText struct{ subject, body string }

var mailTexts = map[string]map[string]mailText{
	LinkVerify: {
		"es": {"Cuatrola: confirma tu dirección", `Confirma con este enlace que quieres entrar en Cuatrola con esta dirección:

%LINK%

Vale una sola vez, durante 24 horas. Si no lo has pedido tú, no hagas nada.
`},
		"ca": {"Cuatrola: confirma la teva adreça", `Confirma amb aquest enllaç que vols entrar a Cuatrola amb aquesta adreça:

%LINK%

Val una sola vegada, durant 24 hores. Si no ho has demanat tu, no facis res.
`},
		"en": {"Cuatrola: confirm your address", `Confirm with this link that you want to sign in to Cuatrola with this address:

%LINK%

It is good once, for 24 hours. If it was not you who asked for it, do nothing.
`},
	},
	LinkReset: {
		"es": {"Cuatrola: contraseña nueva", `Con este enlace puedes elegir una contraseña nueva para Cuatrola:

%LINK%

Vale una sola vez, durante una hora. Si no lo has pedido tú, no hagas nada: tu contraseña sigue siendo la misma.
`},
		"ca": {"Cuatrola: contrasenya nova", `Amb aquest enllaç pots triar una contrasenya nova per a Cuatrola:

%LINK%

Val una sola vegada, durant una hora. Si no ho has demanat tu, no facis res: la teva contrasenya continua sent la mateixa.
`},
		"en": {"Cuatrola: new password", `With this link you can choose a new password for Cuatrola:

%LINK%

It is good once, for an hour. If it was not you who asked for it, do nothing: your password stays as it is.
`},
	},
	"changed": {
		"es": {"Cuatrola: tu acceso ha cambiado", `La dirección o la contraseña con la que entrabas en Cuatrola ha cambiado, y se han cerrado todas las sesiones.
Si no has sido tú, escríbenos.
`},
		"ca": {"Cuatrola: el teu accés ha canviat", `L'adreça o la contrasenya amb què entraves a Cuatrola ha canviat, i s'han tancat totes les sessions.
Si no has estat tu, escriu-nos.
`},
		"en": {"Cuatrola: how you sign in has changed", `The address or the password with which you signed in to Cuatrola has changed, and all sessions have ended.
If it was not you, write to us.
`},
	},
}

func linkMail(language string, l EmailLink, link string) Mail {
	m := textOf(l.Kind, language, l.Email)
	m.Text = strings.Replace(m.Text, "%LINK%", link, 1)
	return m
}

func changedMail(language, to string) Mail { return textOf("changed", language, to) }

func textOf(kind, language, to string) Mail {
	t, ok := mailTexts[kind][language]
	if !ok {
		t = mailTexts[kind][DefaultLanguage]
	}
	return Mail{To: to, Subject: t.subject, Text: t.body}
}
