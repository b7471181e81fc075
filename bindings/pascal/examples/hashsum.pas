{ hashsum [-a ALGORITHM] FILE…: digests of files, as md5sum and its like print them. }
program HashSum;

{$MODE OBJFPC}{$H+}

uses
  {$IFDEF UNIX}cthreads,{$ENDIF}
  SysUtils, HashMill;

type
  TMeter = class
    procedure Show(const Progress: THashFilesProgress; var GoOn: Boolean);
  end;

procedure TMeter.Show(const Progress: THashFilesProgress; var GoOn: Boolean);
begin
  GoOn := True;
  Write(StdErr, Format(#13'%d of %d files, %d MB ', [Progress.Files, Progress.FilesTotal, Progress.Bytes div 1000000]));
  if Progress.Complete and (Progress.Files = Progress.FilesTotal) then
    Writeln(StdErr);
end;

function Escaped(const Path: string): string;
begin
  Result := StringReplace(Path, '\', '\\', [rfReplaceAll]);
  Result := StringReplace(Result, #10, '\n', [rfReplaceAll]);
  Result := StringReplace(Result, #13, '\r', [rfReplaceAll]);
end;

{ coreutils put a backslash before lines whose names are escaped. }
function Line(const Digest: TBytes; const Path: string): string;
begin
  Result := HashToHex(Digest) + '  ' + Escaped(Path);
  if Escaped(Path) <> Path then
    Result := '\' + Result;
end;

var
  Algorithms: THashAlgorithms = nil;
  Paths: THashNames = nil;
  Files: THashFiles;
  Meter: TMeter;
  First, I: Integer;
begin
  First := 1;
  try
    SetLength(Algorithms, 1);
    if ParamStr(1) = '-a' then
    begin
      Algorithms[0] := THashAlgorithm.Named(ParamStr(2));
      First := 3;
    end
    else
      Algorithms[0] := THashAlgorithm.Named('sha256');
    if ParamCount < First then
    begin
      Writeln(StdErr, 'usage: hashsum [-a ALGORITHM] FILE...');
      Halt(2);
    end;
    SetLength(Paths, ParamCount - First + 1);
    for I := First to ParamCount do
      Paths[I - First] := ParamStr(I);
    Meter := TMeter.Create;
    try
      if GetEnvironmentVariable('HASHSUM_PROGRESS') <> '' then
        Files := HashFiles(Algorithms, Paths, 0, @Meter.Show)
      else
        Files := HashFiles(Algorithms, Paths);
    finally
      Meter.Free;
    end;
    for I := 0 to High(Files) do
      if Files[I].Error = '' then
        Writeln(Line(Files[I].Digests[0], Files[I].Path))
      else
      begin
        Writeln(StdErr, 'hashsum: ', Escaped(Files[I].Path), ': ', Files[I].Error);
        ExitCode := 1;
      end;
    Flush(Output);
  except
    on E: EHashMill do
    begin
      Writeln(StdErr, 'hashsum: ', E.Message);
      Halt(2);
    end;
    on E: EInOutError do
    begin
      Writeln(StdErr, 'hashsum: writing the digests: ', E.Message);
      Halt(1);
    end;
  end;
end.
