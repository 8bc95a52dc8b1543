# PowerShell completion of git-okstra, and of git okstra where posh-git has not taken git.

$okstraComplete = {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object { "$_" })
    $at = [array]::IndexOf($words, 'okstra')
    if ($words.Count -gt 0 -and $words[0] -notmatch 'git-okstra(\.exe)?$') {
        if ($at -lt 0) { return }
        $words = @($words | Select-Object -Skip ($at + 1))
    } else {
        $words = @($words | Select-Object -Skip 1)
    }
    & git-okstra complete '--' @words "$wordToComplete" 2>$null | ForEach-Object {
        $value, $about = $_ -split "`t", 2
        if ($value -eq ':files') { return }
        if (-not $about) { $about = $value }
        $shown = $value
        if ($value -notmatch '^[\w\-./:=~]+$') { $shown = "'" + $value.Replace("'", "''") + "'" }
        [System.Management.Automation.CompletionResult]::new($shown, $value, 'ParameterValue', $about)
    }
}

Register-ArgumentCompleter -Native -CommandName git-okstra -ScriptBlock $okstraComplete
if (-not (Get-Module posh-git)) {
    Register-ArgumentCompleter -Native -CommandName git -ScriptBlock $okstraComplete
}
